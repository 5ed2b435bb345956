//! Requests from outside, and calls of functions, while a repository is drained.

use std::sync::Arc;
use std::time::Duration;

use ndarray::{Array2, ArrayView2};
use pytriton_core::call::{Call, Execution, Instance, Parameter};
use pytriton_core::error::ErrorKind;
use pytriton_core::model_call;
use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registry};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::tensor::DataType;
use pytriton_engine::Limits;
use pytriton_protocol::signature::{ModelSignature, TensorSignature};
use pytriton_protocol::typed::{self, Once};
use tokio::time::{Instant, sleep, timeout};

use crate::testing::{GATE, IDENTITY, request};

use super::{Model, ModelRepository};

/// The type of a call of `Identity`.
#[derive(Debug)]
enum Callee {}

impl typed::Model for Callee {
    type Arguments = (for<'a> fn(ArrayView2<'a, f32>),);
    type Outputs = Array2<f32>;
    type Responses = Once;

    fn signature() -> ModelSignature {
        ModelSignature::new("Identity", 8, false)
            .input(TensorSignature::new("INPUT_1", DataType::Fp32, &[-1]))
            .output(TensorSignature::new("OUTPUT_1", DataType::Fp32, &[-1]))
    }
}

/// Waits for [`GATE`], then calls `Identity`.
struct Calling;

impl Instance for Calling {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            drop(GATE.lock().await);
            let callee = <&model_call::Call<Callee> as Parameter>::read(call, 0)?;
            let x = Array2::from_elem((1, 1), 7.0);
            call.outputs(callee.argument().call(x).await)
        })
    }
}

/// Returns `Identity`, and a model that calls it.
async fn started() -> Arc<ModelRepository> {
    let calling = ModelDeclaration {
        options: ModelOptions {
            name: "Calling",
            ..IDENTITY.options
        },
        load: |_| Ok(Box::new(Calling)),
        ..IDENTITY
    };
    let mut registry = Registry::new(&[&IDENTITY]).unwrap();
    let mut calling = calling.registration().unwrap();
    let spec = Arc::make_mut(&mut calling.spec);
    spec.callees = vec![<Callee as typed::Model>::signature()];
    registry.insert(calling).unwrap();
    let set = ModelRepository::start(&registry, &Limits::default()).await;
    Arc::new(set.unwrap())
}

/// Returns the result of a request from a client.
async fn infer(model: &Arc<Model>) -> Result<(), SchedulerError> {
    let request = request(model.spec(), 1, 1.0);
    model.infer(request).await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_called_model_serves_only_its_callers_while_they_are_drained() {
    let gate = GATE.lock().await;
    let set = started().await;
    let [caller, callee] = ["Calling", "Identity"].map(|name| set.model(name, None).unwrap());
    let of_program = model_call::Call::<Callee>::new(set.local_models());
    infer(&callee).await.unwrap();
    let accepted = tokio::spawn({
        let caller = Arc::clone(&caller);
        async move { infer(&caller).await }
    });
    while caller.load().running == 0 {
        sleep(Duration::from_millis(1)).await;
    }
    let draining = tokio::spawn({
        let set = Arc::clone(&set);
        async move { set.drain(Instant::now() + Duration::from_secs(10)).await }
    });
    // A request that is accepted before the drain begins waits behind the first one.
    let brief = |model| timeout(Duration::from_millis(50), infer(model));
    let refused = async {
        while brief(&caller).await != Ok(Err(SchedulerError::Stopping)) {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_secs(5), refused).await.unwrap();
    assert_eq!(infer(&callee).await, Err(SchedulerError::Stopping));
    let streamed = callee.stream_infer(request(callee.spec(), 1, 1.0));
    assert_eq!(streamed.map(drop), Err(SchedulerError::Stopping));
    let x = Array2::from_elem((1, 1), 7.0);
    let error = of_program.call(x).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains("stopping"), "{error}");
    assert!(!draining.is_finished());
    drop(gate);
    assert_eq!(accepted.await.unwrap(), Ok(()));
    assert!(draining.await.unwrap());
}
