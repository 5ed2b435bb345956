//! Streaming responses.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt};
use pytriton::client::ndarray::{Array2, Ix1, Ix2, array};
use pytriton::client::{
    AsyncDecoupledModelClient, ClientError, DecoupledModelClient, InferOptions, Outputs, Stage,
};
use pytriton_tests::{Engine, Server};

use crate::{Result, each, serve, urls};

each! {
    responses_are_streamed, iterators_return_responses, request_options_are_sent,
    errors_end_the_stream, large_tensors_are_streamed,
}

fn number(outputs: &Outputs) -> i32 {
    outputs
        .array::<i32, Ix1>("OUTPUT_1")
        .map(|array| array[0])
        .unwrap_or(-1)
}

async fn responses_are_streamed(_: &Server, url: &str) -> Result {
    if url.starts_with("http") {
        let refused = AsyncDecoupledModelClient::new(url, "Count").unwrap_err();
        assert!(matches!(refused, ClientError::OnlyGrpc { .. }), "{refused}");
        return Ok(());
    }
    let client = AsyncDecoupledModelClient::new(url, "Count")?;
    for count in [0, 1, 100] {
        let answers = client
            .infer_sample(array![count])
            .map_ok(|outputs| number(&outputs));
        assert_eq!(
            answers.try_collect::<Vec<_>>().await?,
            (0..count).collect::<Vec<_>>()
        );
    }
    let batch = client
        .infer_batch(array![[2]])
        .try_collect::<Vec<_>>()
        .await?;
    assert_eq!(batch[1].array::<i32, Ix2>("OUTPUT_1")?, array![[1]]);
    // Several streams at the same time: each response arrives as soon as it is sent.
    let named = |count: i32| [("count", array![count]), ("fails_at", array![-1])];
    let slow = (array![3], array![50_u32]);
    let (mut one, mut two) = (client.infer_sample(slow.clone()), client.infer_sample(slow));
    let begun = Instant::now();
    let first = one.next().await.unwrap()?;
    assert_eq!((number(&first), first.id()), (0, "4"));
    assert!(begun.elapsed() < Duration::from_millis(1000));
    assert_eq!(two.by_ref().count().await, 3);
    assert_eq!(one.count().await, 2);
    assert_eq!(client.infer_sample(named(2)).count().await, 2);
    Ok(())
}

async fn iterators_return_responses(_: &Server, url: &str) -> Result {
    if url.starts_with("http") {
        let refused = DecoupledModelClient::new(url, "Count").unwrap_err();
        assert!(matches!(refused, ClientError::OnlyGrpc { .. }), "{refused}");
        return Ok(());
    }
    let client = DecoupledModelClient::builder(url, "Count").connect()?;
    assert!(client.model_config()?.decoupled);
    let numbers = client
        .infer_sample(array![5])
        .map(|outputs| outputs.map(|outputs| number(&outputs)));
    assert_eq!(
        numbers.collect::<std::result::Result<Vec<_>, _>>()?,
        [0, 1, 2, 3, 4]
    );
    let (one, two) = (
        client.infer_sample(array![3]),
        client.infer_sample(array![3]),
    );
    assert_eq!(one.zip(two).count(), 3);
    let rest = client.client();
    rest.wait_for_model(Duration::from_secs(10))?;
    assert_eq!(
        (rest.is_batching_supported()?, &*rest.statistics()?[0].name),
        (true, "Count")
    );
    let another = DecoupledModelClient::from_existing(&client)?;
    let mut begun = client.infer_sample(array![3]);
    client.close();
    assert_eq!(begun.next().unwrap().unwrap_err(), ClientError::Closed);
    assert!(begun.next().is_none());
    assert_eq!(another.infer_batch(array![[4]]).count(), 4);
    Ok(())
}

async fn request_options_are_sent(_: &Server, url: &str) -> Result {
    if url.starts_with("http") {
        return Ok(());
    }
    let client = AsyncDecoupledModelClient::new(url, "SaidOften")?;
    client
        .client()
        .wait_for_model(Duration::from_secs(10))
        .await?;
    let options = InferOptions::new()
        .parameter("beams", 4)
        .header("x-user", "ada")
        .id("mine");
    let answers = client.infer_sample_with(array![1.0_f32], options);
    let answers: Vec<Outputs> = answers.try_collect().await?;
    let lines = answers
        .iter()
        .map(|outputs| outputs.array::<String, Ix1>("OUTPUT_1"));
    let lines = lines.collect::<std::result::Result<Vec<_>, _>>()?;
    assert_eq!(
        lines,
        [
            array!["beams=4".to_owned()],
            array!["x-user=ada".to_owned()]
        ]
    );
    assert!(answers.iter().all(|outputs| outputs.id() == "mine"));
    Ok(())
}

async fn large_tensors_are_streamed(_: &Server, url: &str) -> Result {
    if url.starts_with("http") {
        return Ok(());
    }
    let from = Array2::from_shape_fn((2, 200_000), |(row, column)| (row + column) as i32 % 3);
    let builder = AsyncDecoupledModelClient::builder(url, "Down");
    let clients = [
        builder.clone(),
        builder.clone().gzip(),
        builder.gzip().shared_memory(8 << 20),
    ];
    for client in clients {
        let answers = client.build()?.infer_batch(&from);
        let answers: Vec<Outputs> = answers.try_collect().await?;
        assert_eq!(answers.len(), 3);
        for (outputs, step) in answers.iter().zip(0..) {
            assert_eq!(outputs.view::<i32, Ix2>("OUTPUT_1")?, &from - step);
        }
    }
    Ok(())
}

async fn errors_end_the_stream(_: &Server, url: &str) -> Result {
    if url.starts_with("http") {
        return Ok(());
    }
    let client = AsyncDecoupledModelClient::new(url, "Count")?;
    let failing = (array![5], array![0_u32], array![2]);
    let answers: Vec<_> = client.infer_sample(failing).collect().await;
    assert_eq!(answers.len(), 3);
    let refused = answers[2].as_ref().unwrap_err();
    assert!(refused.to_string().contains("no answer 2"), "{refused}");
    assert!(matches!(refused, ClientError::Server { .. }), "{refused}");
    let soon = InferOptions::new().timeout(Duration::from_millis(200));
    let slow = (array![5], array![1000_u32]);
    let answers: Vec<_> = client.infer_sample_with(slow, soon).collect().await;
    let [Err(ClientError::Timeout { stage, .. })] = answers.as_slice() else {
        panic!("{answers:?}")
    };
    assert_eq!(*stage, Stage::Inference);
    let coupled = AsyncDecoupledModelClient::new(url, "AddSub")?;
    let answers: Vec<_> = coupled.infer_sample((array![1], array![2])).collect().await;
    assert!(
        matches!(answers.as_slice(), [Err(ClientError::Coupled { .. })]),
        "{answers:?}"
    );
    Ok(())
}

#[tokio::test]
async fn killed_server_ends_streams() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    let client = AsyncDecoupledModelClient::new(&urls(&server)[1], "Count")?;
    let mut answers = client.infer_sample((array![1000], array![20_u32]));
    answers.next().await.unwrap()?;
    server.signal("KILL")?;
    let lost = loop {
        if let Err(error) = answers.next().await.expect("an error is the last") {
            break error;
        }
    };
    assert!(matches!(lost, ClientError::Lost { .. }), "{lost:?}");
    Ok(())
}
