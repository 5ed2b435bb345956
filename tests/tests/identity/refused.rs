//! Models and graphs that cannot receive the client are refused at start.

use std::path::Path;

use pytriton::Triton;
use pytriton::client::typed::{Model as ModelType, Once};
use pytriton::client::{DataType, ModelSignature, TensorSignature};
use pytriton::ndarray::{Array2, ArrayView2, Ix2};
use pytriton::options::EngineChoice;
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};

use crate::{Result, embedded, installed};

enum Taker {}

impl ModelType for Taker {
    type Arguments = (for<'a> fn(ArrayView2<'a, f32>),);
    type Outputs = Array2<f32>;
    type Responses = Once;

    fn signature() -> ModelSignature {
        ModelSignature::new("Taker", 8, false)
            .input(TensorSignature::new("x", DataType::Fp32, &[1]))
            .output(TensorSignature::new("y", DataType::Fp32, &[1]))
    }
}

fn model(name: &str) -> Model {
    Model::new(name)
        .max_batch_size(8)
        .input(Input::new::<f32>("x", [1]))
        .output(Output::new::<f32>("y", [1]))
}

fn plain() -> Function {
    Function::new(PerBatch, |call| {
        Ok(call.array::<f32, Ix2>("x")?.into_owned())
    })
}

#[test]
fn tritonserver_does_not_know_the_client() -> Result {
    let binary = Path::new(env!("CARGO_BIN_EXE_example_identity"));
    let path = pytriton_tests::tritonserver(binary, installed())?;
    let builder = Triton::builder()
        .free_ports()
        .engine(EngineChoice::Tritonserver);
    let builder = builder.options(|options| options.triton.tritonserver = Some(path));
    let triton = builder.build()?;
    triton.bind(model("Taker").by_identity(), plain())?;
    let error = triton.run().unwrap_err().to_string();
    let expected = "model 'Taker' takes the identity of the client, which tritonserver does not pass on: use `--engine embedded`";
    assert!(error.contains(expected), "{error}");
    Ok(())
}

#[test]
fn calls_that_would_lose_the_client_are_refused() -> Result {
    for (caller, expected) in [
        (model("A"), "its calls combine requests of several clients"),
        (
            model("A").response_cache(true),
            "the response cache returns its response to every client",
        ),
    ] {
        let triton = embedded(|_| {})?;
        triton.bind(model("Taker").by_identity(), plain())?;
        triton.bind(caller.calls::<Taker>(), plain())?;
        let error = triton.run().unwrap_err().to_string();
        let start = "calls model 'Taker', directly or through other models, which takes the identity of the client, but ";
        assert!(error.contains(start) && error.contains(expected), "{error}");
    }
    Ok(())
}
