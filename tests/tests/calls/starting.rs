//! Invalid graphs at start, and the order of start and stop.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pytriton::client::typed::{Model as ModelType, Once};
use pytriton::client::{AsyncModelClient, DataType, ModelSignature, TensorSignature};
use pytriton::ndarray::{Array2, ArrayView2, Ix2, array};
use pytriton::options::EngineChoice;
use pytriton::runtime_models::{Function, FunctionCall, Input, Model, Output, PerBatch};
use pytriton::{Error, Triton};
use pytriton_tests::Engine;
use tokio::time::{sleep, timeout};

use crate::{DEADLINE, Result, triton, triton_by, url};

macro_rules! models {
    ($($type:ident $name:literal;)*) => {$(
        enum $type {}

        impl ModelType for $type {
            type Arguments = (for<'a> fn(ArrayView2<'a, f32>),);
            type Outputs = Array2<f32>;
            type Responses = Once;

            fn signature() -> ModelSignature {
                ModelSignature::new($name, 8, false)
                    .input(TensorSignature::new("x", DataType::Fp32, &[-1]))
                    .output(TensorSignature::new("y", DataType::Fp32, &[-1]))
            }
        }
    )*};
}

models! {
    A "a";
    B "b";
    C "c";
}

fn model(name: &str) -> Model {
    Model::new(name)
        .max_batch_size(8)
        .input(Input::new::<f32>("x", [-1]))
        .output(Output::new::<f32>("y", [-1]))
}

fn plain() -> Function {
    Function::new(PerBatch, |call| {
        Ok(call.array::<f32, Ix2>("x")?.into_owned())
    })
}

fn calling<
    M: ModelType<
            Arguments = (for<'a> fn(ArrayView2<'a, f32>),),
            Outputs = Array2<f32>,
            Responses = Once,
        > + 'static,
>() -> Function {
    Function::new(PerBatch, |call| {
        Ok(call
            .callee::<M>()?
            .call(call.array::<f32, Ix2>("x")?)
            .wait()?)
    })
}

#[test]
fn invalid_graphs_are_refused_at_start() -> Result {
    let missing = triton()?;
    missing.bind(model("a").calls::<B>(), calling::<B>())?;
    let error = missing.run().unwrap_err().to_string();
    assert!(
        error.contains("calls model 'b', which does not exist"),
        "{error}"
    );
    missing.bind(model("b"), plain())?;
    missing.run()?;
    // A model that is added later must call models that are served.
    let error = missing
        .bind(model("d").calls::<C>(), calling::<C>())
        .unwrap_err();
    assert!(error.to_string().contains("calls model 'c'"), "{error}");
    missing.bind(model("d").calls::<A>(), calling::<A>())?;
    missing.unbind("b", 1)?;
    let error = missing
        .bind(model("b").calls::<A>(), calling::<A>())
        .unwrap_err();
    let expected = "models call each other in a cycle: a → b → a";
    assert!(error.to_string().contains(expected), "{error}");
    missing.stop()?;

    let cycle = triton()?;
    cycle.bind(model("a").calls::<B>(), calling::<B>())?;
    cycle.bind(model("b").calls::<C>(), calling::<C>())?;
    cycle.bind(model("c").calls::<A>(), calling::<A>())?;
    let error = cycle.run().unwrap_err().to_string();
    let expected = "models call each other in a cycle: a → b → c → a: remove one of the calls";
    assert!(error.contains(expected), "{error}");

    let other = triton()?;
    other.bind(model("a").calls::<B>(), calling::<B>())?;
    let different = Model::new("b")
        .max_batch_size(8)
        .input(Input::new::<f64>("x", [-1]))
        .output(Output::new::<f32>("y", [-1]));
    other.bind(
        different,
        Function::new(PerBatch, |_| Ok(array![[1.0_f32]])),
    )?;
    let error = other.run().unwrap_err().to_string();
    assert!(
        error.contains("input `x`: expected FP32 [-1,-1], found FP64 [-1,-1]"),
        "{error}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn accepted_request_can_call_models_while_the_server_stops() -> Result {
    let triton = Arc::new(triton()?);
    let running = Arc::new(AtomicBool::new(false));
    let begun = Arc::clone(&running);
    triton.bind(
        model("a").calls::<B>(),
        Function::new(PerBatch, move |call| {
            begun.store(true, Ordering::SeqCst);
            // The server begins to stop meanwhile.
            std::thread::sleep(Duration::from_millis(300));
            Ok(call
                .callee::<B>()?
                .call(call.array::<f32, Ix2>("x")?)
                .wait()?)
        }),
    )?;
    triton.bind(model("b").calls::<C>(), calling::<C>())?;
    triton.bind(model("c"), plain())?;
    triton.run()?;
    let client = AsyncModelClient::new(&url(&triton)?, "a")?;
    let response = tokio::spawn(client.infer_batch(array![[7.0_f32]]));
    while !running.load(Ordering::SeqCst) {
        sleep(Duration::from_millis(1)).await;
    }
    let stopping = Arc::clone(&triton);
    let stopped = tokio::task::spawn_blocking(move || stopping.stop());
    let outputs = timeout(DEADLINE, response).await???;
    assert_eq!(outputs.array::<f32, Ix2>("y")?, array![[7.0]]);
    stopped.await??;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_model_is_unavailable_to_its_callers() -> Result {
    let triton = triton()?;
    triton.bind(model("b"), plain())?;
    triton.bind(model("a").calls::<B>(), calling::<B>())?;
    triton.run()?;
    let client = AsyncModelClient::new(&url(&triton)?, "a")?;
    client.infer_batch(array![[7.0_f32]]).await?;
    triton.unbind("b", 1)?;
    let error = client
        .infer_batch(array![[7.0_f32]])
        .await
        .unwrap_err()
        .to_string();
    let expected = "the call of model 'b' failed: the model is not loaded";
    assert!(error.contains(expected), "{error}");
    triton.bind(model("b"), plain())?;
    client.infer_batch(array![[7.0_f32]]).await?;
    triton.stop()?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn called_models_are_loaded_on_request() -> Result {
    let builder = Triton::builder()
        .engine(EngineChoice::Embedded)
        .free_ports();
    let builder = builder.arguments([
        "--restricted-endpoints=",
        "--model-control-mode=explicit",
        "--load-model=a",
    ]);
    let triton = builder.build()?;
    triton.bind(model("a").calls::<B>(), calling::<B>())?;
    triton.bind(model("b"), plain())?;
    triton.bind(model("d").calls::<C>(), calling::<C>())?;
    triton.bind(model("c"), plain())?;
    triton.run()?;
    let client = AsyncModelClient::new(&url(&triton)?, "a")?;
    client.infer_batch(array![[7.0_f32]]).await?;
    let load = |model: &str| {
        let http = triton.addresses().and_then(|addresses| addresses.http());
        let url = http.map(|http| format!("http://{http}/v2/repository/models/{model}/load"));
        let mut curl = Command::new("curl");
        curl.args(["--silent", "-d", "", &url.unwrap_or_default()]);
        pytriton_tests::finish(&mut curl, DEADLINE)?.success("curl")
    };
    let refused = load("d")?;
    let expected = "it calls model 'c', which is not loaded: load it first";
    assert!(refused.contains(expected), "{refused}");
    load("c")?;
    assert_eq!(load("d")?, "");
    triton.stop()?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn fatal_error_of_a_called_model_ends_the_server() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton_by(engine)?;
        triton.bind(model("a").calls::<B>(), calling::<B>())?;
        let broken = |_: FunctionCall<'_, PerBatch>| {
            Err::<Array2<f32>, _>(Error::unrecoverable("lost device"))
        };
        triton.bind(model("b"), Function::new(PerBatch, broken))?;
        triton.run()?;
        let client = AsyncModelClient::new(&url(&triton)?, "a")?;
        let error = client.infer_batch(array![[7.0_f32]]).await.unwrap_err();
        assert!(error.to_string().contains("lost device"), "{error}");
        let ended = async {
            while triton.is_alive() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(DEADLINE, ended).await?;
        let reason = triton.stop().unwrap_err().to_string();
        assert!(reason.contains("lost device"), "{reason}");
    }
    Ok(())
}
