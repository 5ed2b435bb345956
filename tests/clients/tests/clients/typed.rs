//! Typed clients.

use std::time::Duration;

use futures_util::TryStreamExt;
use pytriton::client::ndarray::{Array1, Array2, Ix1, array};
use pytriton::client::{
    AsyncModelClient, AsyncTyped, ClientError, InferOptions, ModelClient, SequenceId, SequenceStep,
    Typed,
};
use pytriton_tests::Server;
use triton_test_clients::typed::{
    Both, Describe, Described, Doubled, Down, Linear, Mean, Reversed, Total, Up,
};

use crate::{Result, each};

each! {
    blocking_typed_client_is_called, async_typed_client_is_called,
    optional_inputs_and_structs_are_supported, omitted_output_is_none, bytes_of_any_rank_are_supported,
    typed_responses_are_streamed, typed_sequences_keep_their_state,
    different_signature_is_an_error,
}

async fn blocking_typed_client_is_called(_: &Server, url: &str) -> Result {
    let client = Typed::<Linear>::connect(url)?;
    let x = Array2::<f32>::ones((3, 20));
    let y: Array2<f32> = client.call(&x, 2.0)?;
    assert_eq!(y.dim(), (3, 30));
    assert_eq!(y[[2, 1]], 420.0);
    // Views, transposed ones included, and owned arrays.
    let columns = Array2::<f32>::ones((20, 3));
    assert_eq!(client.call(columns.t(), 2.0)?, y);
    assert_eq!(client.clone().call(x, 2.0)?, y);
    assert_eq!(client.signature().outputs[0].dims, [30]);
    let lazy = Typed::<Both>::builder(url)
        .init_timeout(Duration::from_secs(60))
        .build()?;
    let (sum, difference): (Array1<i32>, Array1<i32>) = lazy.call(array![5, 6], &array![1, 2])?;
    assert_eq!((sum, difference), (array![6, 8], array![4, 4]));
    let refused = lazy
        .with(InferOptions::new().parameter("more", true))
        .call(array![5], array![1])
        .unwrap_err();
    assert!(refused.to_string().contains("refused"), "{refused}");
    Ok(())
}

async fn async_typed_client_is_called(_: &Server, url: &str) -> Result {
    let client = AsyncTyped::<Linear>::connect(url).await?;
    let x = Array2::<f32>::ones((16, 20));
    let (one, other) = tokio::join!(client.call(&x, 1.0), client.call(&x, 3.0));
    assert_eq!(one? * 3.0, other?);
    assert!(client.untyped().is_batching_supported().await?);
    client.untyped().close();
    assert_eq!(client.call(&x, 1.0).await, Err(ClientError::Closed));
    Ok(())
}

async fn optional_inputs_and_structs_are_supported(_: &Server, url: &str) -> Result {
    let client = Typed::<Describe>::connect(url)?;
    let text = |text: &str| text.to_owned();
    let words = array![[text("a"), text("bc")], [text("def"), text("g")]];
    let described = client.call(&words, None, "-", None)?;
    assert_eq!(
        described,
        Described {
            longest: array![[text("bc")], [text("def")]],
            length: array![[2], [3]],
        }
    );
    let more = array![[text("h"), text("i")], [text("j"), text("k")]];
    let described = client.call(&words, &more, text("--"), array![1.5, 1.5])?;
    assert_eq!(described.length, array![[4], [4]]);
    let longest = client.call(&words, Some(more.view()), "", None)?.longest;
    assert_eq!(longest[[0, 0]], "hi");
    Ok(())
}

async fn omitted_output_is_none(_: &Server, url: &str) -> Result {
    let client = Typed::<Mean>::connect(url)?;
    let (sums, means): (Array2<f64>, Option<Array2<f64>>) =
        client.call(array![[1.0, 2.0], [3.0, 5.0]])?;
    assert_eq!(sums, array![[3.0], [8.0]]);
    assert_eq!(means, Some(array![[1.5], [4.0]]));
    assert_eq!(client.call(array![[4.0]])?, (array![[4.0]], None));
    let client = AsyncTyped::<Mean>::connect(url).await?;
    assert_eq!(client.call(array![[4.0]]).await?, (array![[4.0]], None));
    Ok(())
}

async fn bytes_of_any_rank_are_supported(_: &Server, url: &str) -> Result {
    let client = AsyncTyped::<Reversed>::connect(url).await?;
    let x = array![b"ab".to_vec(), b"\xff\0".to_vec()].into_dyn();
    let y = client.call(x).await?;
    assert_eq!(y, array![b"ba".to_vec(), b"\0\xff".to_vec()].into_dyn());
    // Text elements are received as bytes.
    let y = client.call(array!["cd".to_owned()].into_dyn()).await?;
    assert_eq!(y[0], b"dc");
    Ok(())
}

async fn typed_responses_are_streamed(_: &Server, url: &str) -> Result {
    if url.starts_with("http") {
        let refused = Typed::<Down>::connect(url).unwrap_err();
        assert!(matches!(refused, ClientError::OnlyGrpc { .. }), "{refused}");
        return Ok(());
    }
    let client = Typed::<Down>::connect(url)?;
    let answers: Vec<Array2<i32>> = client
        .call(array![[2], [1]])
        .collect::<std::result::Result<_, _>>()?;
    assert_eq!(
        answers,
        [array![[2], [1]], array![[1], [0]], array![[0], [-1]]]
    );
    let mut answers = client.call(array![[9]]);
    assert!(answers.by_ref().take(7).all(|answer| answer.is_ok()));
    let error = answers.next().unwrap().unwrap_err();
    assert!(error.to_string().contains("seven is too far"), "{error}");
    assert!(answers.next().is_none());
    let client = AsyncTyped::<Up>::connect(url).await?;
    let counted: Vec<Array1<i64>> = client.call(array![1, 2]).try_collect().await?;
    assert_eq!(counted, [array![0], array![1], array![2]]);
    let twice: Vec<_> = Typed::<Doubled>::connect(url)?
        .call(array![7_u8])
        .collect::<std::result::Result<_, _>>()?;
    assert_eq!(
        twice,
        [(array![7], array![false]), (array![7], array![true])]
    );
    Ok(())
}

async fn typed_sequences_keep_their_state(_: &Server, url: &str) -> Result {
    let client = Typed::<Total>::connect(url)?;
    let id = || SequenceId::Text(format!("typed {url}"));
    let with_step = |step| client.with(InferOptions::new().sequence(step));
    assert_eq!(
        with_step(SequenceStep::new(id()).start()).call(array![[1, 2]])?,
        array![[3]]
    );
    let step = SequenceStep::new(id()).start().end();
    assert_eq!(with_step(step).call(array![[4, 5]])?, array![[9]]);
    Ok(())
}

/// Signatures that are compiled into clients but differ from those of the server.
mod other {
    use pytriton::client::ndarray::Array2;
    use pytriton::client::{DataType, ModelSignature, TensorSignature, typed};

    pub(super) enum Linear {}

    impl typed::Model for Linear {
        type Arguments = (fn(Array2<f64>), fn(i64), fn(Option<Array2<f32>>));
        type Outputs = (Array2<f32>, Array2<f32>);
        type Responses = typed::Once;

        fn signature() -> ModelSignature {
            let tensor = TensorSignature::new;
            ModelSignature::new("Linear", 32, false)
                .input(tensor("x", DataType::Fp64, &[20]))
                .input(tensor("scale", DataType::Fp32, &[1]).first_value())
                .input(tensor("bias", DataType::Fp32, &[30]).optional())
                .output(tensor("OUTPUT_1", DataType::Fp32, &[30]))
                .output(tensor("norm", DataType::Fp32, &[1]))
        }
    }

    pub(super) enum Down {}

    impl typed::Model for Down {
        type Arguments = (fn(Array2<i32>),);
        type Outputs = Array2<i32>;
        type Responses = typed::Once;

        fn signature() -> ModelSignature {
            let tensor = TensorSignature::new;
            ModelSignature::new("Down", 8, false)
                .input(tensor("start", DataType::Int32, &[-1]))
                .output(tensor("OUTPUT_1", DataType::Int32, &[-1]))
        }
    }
}

async fn different_signature_is_an_error(_: &Server, url: &str) -> Result {
    let expected =
        "model Linear of the server differs from the one that this client was compiled for:
  batching: expected up to 32 rows, found up to 16 rows
  input `x`: expected FP64 [-1,20], found FP32 [-1,20]
  input `bias`: expected FP32 [-1,30], optional, found none
  output `norm`: expected FP32 [-1,1], found none";
    let error = Typed::<other::Linear>::connect(url).unwrap_err();
    assert_eq!(error.to_string(), expected);
    let lazy = AsyncTyped::<other::Linear>::builder(url).build()?;
    let error = lazy.call(Array2::<f64>::ones((1, 20)), 1, None).await;
    assert_eq!(error.unwrap_err().to_string(), expected);
    let error = AsyncTyped::<other::Down>::connect(url).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "model Down of the server differs from the one that this client was compiled for:
  responses: expected one, found any number
  input `start`: expected INT32 [-1,-1], found INT32 [-1,-1] named `from`"
    );
    // A refused call sends no inference.
    let statistics = AsyncModelClient::new(url, "Down")?.statistics().await?;
    assert_eq!(statistics[0].name, "Down");
    let outputs = ModelClient::new(url, "Both")?.infer_sample((array![1], array![2]))?;
    assert_eq!(outputs.array::<i32, Ix1>("sum")?, array![3]);
    Ok(())
}
