//! Options of bound models that the configuration replaces.

use pytriton::Triton;
use pytriton::runtime_models::{Function, PerBatch};
use pytriton_tests::Engine;

use crate::{Result, builder, model};

fn overridden(options: &[&str]) -> Result<Triton> {
    let options: Vec<String> = options.iter().map(|of| format!("--model={of}")).collect();
    Ok(builder(Engine::Embedded)?.arguments(options).build()?)
}

fn function() -> Function {
    Function::new(PerBatch, |call| {
        Ok(call.array::<f32, pytriton::ndarray::Ix2>("x")?.to_owned())
    })
}

#[test]
fn options_of_bound_models_are_replaced() -> Result<()> {
    let triton = overridden(&["One.max_batch_size=3", "One.instances=2"])?;
    triton.bind(model("One"), function())?;
    triton.bind(model("Two"), function())?;
    let models = triton.models();
    let sizes = models.iter().map(|model| model.max_batch_size);
    assert_eq!(sizes.collect::<Vec<_>>(), [3, 8]);
    assert_eq!(models[0].instances.count(), 2);
    triton.run()?;
    triton.stop()?;
    Ok(())
}

#[test]
fn overrides_of_bound_models_follow_the_rules() -> Result<()> {
    let triton = overridden(&["One.max_batch_size=0"])?;
    let error = triton.bind(model("One"), function()).unwrap_err();
    assert!(
        error.to_string().contains("`max_batch_size`: expected"),
        "{error}"
    );
    let triton = overridden(&["One.instances=3"])?;
    let functions = [function(), function()];
    let error = triton.bind(model("One"), functions).unwrap_err();
    assert!(
        error.to_string().contains("there are 2 functions"),
        "{error}"
    );
    let triton = overridden(&["Onee.instances=3"])?;
    triton.bind(model("One"), function())?;
    let error = triton.run().unwrap_err();
    assert!(error.to_string().contains("did you mean `One`?"), "{error}");
    Ok(())
}
