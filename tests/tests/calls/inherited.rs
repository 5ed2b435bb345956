//! Properties that a call inherits from the requests of its function. The models are bound at run
//! time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pytriton::client::typed::{Model as ModelType, Once};
use pytriton::client::{AsyncModelClient, DataType, InferOptions, ModelSignature, TensorSignature};
use pytriton::ndarray::{Array2, ArrayView2, Ix2, array};
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch, Raw};
use pytriton::{ParameterValue, Parameters};

use crate::{Result, triton, url};

enum Seen {}

impl ModelType for Seen {
    type Arguments = (for<'a> fn(ArrayView2<'a, f32>),);
    type Outputs = Array2<f32>;
    type Responses = Once;

    fn signature() -> ModelSignature {
        ModelSignature::new("Seen", 8, false)
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

/// The priority, the queue timeout and a parameter of a request.
type Properties = (u64, Option<Duration>, Option<i64>);

#[tokio::test(flavor = "multi_thread")]
async fn priority_and_timeout_are_inherited_or_set() -> Result {
    let triton = triton()?;
    let seen: Arc<Mutex<Vec<Properties>>> = Arc::default();
    let recorded = Arc::clone(&seen);
    let function = Function::new(Raw, move |call| {
        let requests = call.requests().iter().map(|request| {
            let level = request.parameters().int("level");
            let properties = (request.priority(), request.timeout(), level);
            recorded.lock().map_err(|_| "poisoned")?.push(properties);
            let x = request.array::<f32>("x")?.ok_or("no x")?;
            Ok(x.into_owned())
        });
        Ok(requests.collect::<Vec<std::result::Result<_, pytriton::Error>>>())
    });
    let queue = |name: &str| {
        model(name)
            .priority_levels(5)
            .default_priority_level(3)
            .allow_timeout_override(true)
            .default_timeout(Duration::from_secs(60))
    };
    triton.bind(queue("Seen"), function)?;
    triton.bind(
        queue("Inheriting").calls::<Seen>(),
        Function::new(PerBatch, |call| {
            Ok(call
                .callee::<Seen>()?
                .call(call.array::<f32, Ix2>("x")?)
                .wait()?)
        }),
    )?;
    triton.bind(
        model("Setting").calls::<Seen>(),
        Function::new(PerBatch, |call| {
            let mut parameters = Parameters::default();
            parameters.insert("level", ParameterValue::Int64(7));
            let seen = call.callee::<Seen>()?.priority(5).parameters(parameters);
            let seen = seen.timeout(Duration::from_secs(2));
            Ok(seen.call(call.array::<f32, Ix2>("x")?).wait()?)
        }),
    )?;
    triton.bind(
        model("Undeclared"),
        Function::new(PerBatch, |call| {
            Ok(call
                .callee::<Seen>()?
                .call(call.array::<f32, Ix2>("x")?)
                .wait()?)
        }),
    )?;
    triton.run()?;
    let url = url(&triton)?;
    let x = || array![[1.0_f32]];
    let inheriting = AsyncModelClient::new(&url, "Inheriting")?;
    inheriting.infer_batch(x()).await?;
    let options = InferOptions::new()
        .priority(1)
        .queue_timeout(Duration::from_secs(1));
    inheriting.infer_batch_with(x(), options).await?;
    AsyncModelClient::new(&url, "Setting")?
        .infer_batch(x())
        .await?;
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    let expected = [
        (3, None, None),
        (1, seconds(1), None),
        (5, seconds(2), Some(7)),
    ];
    assert_eq!(*seen.lock().map_err(|_| "poisoned")?, expected);
    let undeclared = AsyncModelClient::new(&url, "Undeclared")?;
    let error = undeclared.infer_batch(x()).await.unwrap_err().to_string();
    let expected = "model 'Undeclared' calls model 'Seen': declare it with `calls::<…>()`";
    assert!(error.contains(expected), "{error}");
    triton.stop()?;
    Ok(())
}
