//! Arguments and results of each form.

use pytriton::Triton;
use pytriton::client::{AsyncDecoupledModelClient, AsyncModelClient};
use pytriton::ndarray::{Ix1, Ix2, array};
use pytriton_tests::Engine;

use futures_util::TryStreamExt;

use crate::{Result, served_by, url};

#[tokio::test(flavor = "multi_thread")]
async fn async_and_blocking_functions_call_other_models() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        functions(&served_by(engine)?).await?;
    }
    Ok(())
}

async fn functions(triton: &Triton) -> Result {
    let url = url(triton)?;
    let x = array![[1.0_f32, 2.0], [3.0, 4.0]];
    let caller = AsyncModelClient::new(&url, "Caller")?;
    let outputs = caller.infer_batch(x.clone()).await?;
    let expected = x.mapv(f64::from) * 20.0;
    assert_eq!(outputs.array::<f64, Ix2>("OUTPUT_1")?, expected);
    for (model, factor) in [("Blocking", 2.0_f32), ("Aprepared", 8.0)] {
        let client = AsyncModelClient::new(&url, model)?;
        let outputs = client.infer_batch(x.clone()).await?;
        let expected = &x * factor;
        assert_eq!(outputs.array::<f32, Ix2>("OUTPUT_1")?, expected, "{model}");
    }
    triton.stop()?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn called_model_may_omit_an_output() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = served_by(engine)?;
        let client = AsyncModelClient::new(&url(&triton)?, "RelaysRoot")?;
        let outputs = client.infer_batch(array![[4.0_f32, 5.0]]).await?;
        assert_eq!(outputs.array::<f32, Ix2>("OUTPUT_1")?, array![[3.0]]);
        let outputs = client.infer_batch(array![[-1.0_f32]]).await?;
        assert_eq!(outputs.tensors().len(), 0, "{engine:?}");
        triton.stop()?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_and_sequences_are_called() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        streams(&served_by(engine)?).await?;
    }
    Ok(())
}

async fn streams(triton: &Triton) -> Result {
    let url = url(triton)?;
    // No response, one, many, and an error after some.
    for model in ["Summed", "BlockingSum"] {
        let client = AsyncModelClient::new(&url, model)?;
        for (to, expected) in [(0, 0), (1, 0), (7, 21)] {
            let outputs = client.infer_sample(array![to]).await?;
            let sum = outputs.array::<i32, Ix1>("OUTPUT_1")?;
            assert_eq!(sum, array![expected], "{model} {to}");
        }
        let Err(error) = client.infer_sample(array![8]).await else {
            return Err("the error of the called model is lost".into());
        };
        let message = error.to_string();
        let expected = "the call of model 'Count' failed: model 'Count': seven";
        assert!(message.contains(expected), "{message}");
    }
    let relayed = AsyncDecoupledModelClient::new(&url, "Relayed")?;
    let responses = relayed.infer_sample(array![3]);
    let outputs: Vec<_> = responses.try_collect().await?;
    let numbers: std::result::Result<Vec<_>, _> = outputs
        .iter()
        .map(|outputs| outputs.array::<i32, Ix1>("OUTPUT_1"))
        .collect();
    assert_eq!(numbers?, [array![0], array![10], array![20]]);
    let totals = AsyncModelClient::new(&url, "Totals")?;
    for x in [array![5_i64, 1, 1], array![6_i64], array![5_i64, 2]] {
        let outputs = totals.infer_sample(x.clone()).await?;
        let mut sum = 0;
        let expected = x.mapv(|value| {
            sum += value;
            sum
        });
        assert_eq!(outputs.array::<i64, Ix1>("OUTPUT_1")?, expected);
    }
    triton.stop()?;
    Ok(())
}
