//! The clients of `pytriton::testing`.

use std::time::{Duration, Instant};

use pytriton::client::ndarray::{Ix1, Ix2, array};
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
use pytriton::testing;

use crate::Result;

fn served() -> Result<testing::Served> {
    let double = Model::new("Double")
        .input(Input::new::<f32>("x", [-1]))
        .output(Output::new::<f32>("y", [-1]));
    let function = Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? * 2.0));
    Ok(testing::serve(double, function)?)
}

#[test]
fn test_server_is_called_by_its_test() -> Result {
    let served = served()?;
    let outputs = served
        .client("Double")?
        .infer_sample(array![1.0_f32, 2.0])?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![2.0, 4.0]);
    Ok(())
}

#[tokio::test]
async fn test_server_is_called_on_tokio() -> Result {
    let served = served()?;
    let client = served.async_client("Double")?;
    let outputs = client.infer_sample(array![3.0_f32]).await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![6.0]);
    // This thread also drives the client, which cannot close its connection meanwhile.
    let begun = Instant::now();
    drop(served);
    assert!(begun.elapsed() < Duration::from_secs(2), "{begun:?}");
    Ok(())
}

#[test]
fn missing_model_fails_at_once() -> Result {
    let served = served()?;
    let expected = "model Duoble is not available: the models are Double";
    let refused = served.client("Duoble").unwrap_err();
    assert_eq!(refused.to_string(), expected);
    let refused = served.async_client("Duoble").unwrap_err();
    assert_eq!(refused.to_string(), expected);
    Ok(())
}
