//! The clients of `pytriton::testing`.

use pytriton::client::ndarray::{Ix1, Ix2, array};
use pytriton::{Function, Input, Model, Output, testing};

use crate::Result;

fn served() -> Result<testing::Served> {
    let double = Model::new("Double")
        .input(Input::new::<f32>("x", [-1]))
        .output(Output::new::<f32>("y", [-1]));
    let function = Function::batch(|inputs| Ok(&inputs.array::<f32, Ix2>("x")? * 2.0));
    Ok(testing::serve(double, function)?)
}

#[test]
fn what_is_served_for_a_test_is_asked_by_it() -> Result {
    let served = served()?;
    let outputs = served
        .client("Double")?
        .infer_sample(array![1.0_f32, 2.0])?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![2.0, 4.0]);
    Ok(())
}

#[tokio::test]
async fn the_same_on_tokio() -> Result {
    let served = served()?;
    let client = served.async_client("Double")?;
    let outputs = client.infer_sample(array![3.0_f32]).await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![6.0]);
    Ok(())
}

#[test]
fn nobody_waits_for_a_model_that_there_is_not() -> Result {
    let served = served()?;
    let expected = "model Duoble is not available: the models are Double";
    let refused = served.client("Duoble").unwrap_err();
    assert_eq!(refused.to_string(), expected);
    let refused = served.async_client("Duoble").unwrap_err();
    assert_eq!(refused.to_string(), expected);
    Ok(())
}
