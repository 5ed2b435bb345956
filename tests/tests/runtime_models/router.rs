//! Models in a server of the application.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use axum::Router;
use axum::routing::get;
use pytriton::Triton;
use pytriton::ndarray::Ix2;
use pytriton::options::Options;
use pytriton::runtime_models::{Function, PerBatch};
use pytriton_tests::Engine;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::http::{self, infer};
use crate::{Result, builder, model, triton};

pub(crate) type Serving = (
    SocketAddr,
    oneshot::Sender<()>,
    thread::JoinHandle<std::io::Result<()>>,
);

/// Runs an axum application until it is stopped.
pub(crate) fn serve(application: Router) -> Result<Serving> {
    let (stop, stopped) = oneshot::channel::<()>();
    let (tell, told) = mpsc::channel();
    let thread = thread::spawn(move || {
        tokio::runtime::Runtime::new()?.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            // A caller that does not wait does not need the address.
            let _ = tell.send(listener.local_addr()?);
            let serving = axum::serve(listener, application);
            let serving = serving.with_graceful_shutdown(async {
                stopped.await.unwrap_or_default();
            });
            serving.await
        })
    });
    Ok((told.recv()?, stop, thread))
}

fn bound() -> Result<Triton> {
    let triton = triton(Engine::Embedded)?;
    let double = Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? * 2.0));
    triton.bind(model("double"), double)?;
    Ok(triton)
}

#[test]
fn platform_options_require_ports() -> Result<()> {
    for option in ["--allow-sagemaker=true", "--allow-vertex-ai=true"] {
        let triton = builder(Engine::Embedded)?
            .options(move |options| options.triton = Options::parse([option]).unwrap().triton)
            .build()?;
        let double = Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? * 2.0));
        triton.bind(model("double"), double)?;
        let error = triton.router().map(drop).unwrap_err().to_string();
        let name = option.split('=').next().unwrap_or_default();
        let expected = format!("{name} requires a separate port, and a router has no ports");
        assert!(error.starts_with(&expected), "{error}");
    }
    Ok(())
}

#[test]
fn axum_application_serves_models_and_its_own_routes() -> Result<()> {
    let triton = bound()?;
    let application = Router::new()
        .route("/hello", get(async || "hello"))
        .fallback_service(triton.router()?);
    assert!(triton.is_alive());
    assert_eq!(
        triton.addresses().and_then(|addresses| addresses.http()),
        None
    );
    let (at, stop, thread) = serve(application)?;
    assert_eq!(http::get(at, "/hello")?.body, json!("hello"));
    assert_eq!(http::get(at, "/v2/health/ready")?.status, 200);
    assert_eq!(infer(at, "double", &[&[1.0, 2.0]])?, json!([2.0, 4.0]));
    let half = Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? / 2.0));
    triton.bind(model("half"), half)?;
    assert_eq!(infer(at, "half", &[&[1.0]])?, json!([0.5]));
    let metrics = http::get(at, "/metrics")?.body.to_string();
    assert!(metrics.contains("nv_inference_count"), "{metrics}");
    assert_eq!(http::get(at, "/nowhere")?.status, 404);
    triton.stop()?;
    assert_eq!(http::get(at, "/v2/health/ready")?.status, 400);
    let refused = infer(at, "double", &[&[1.0]])?.to_string();
    assert!(refused.contains("stopping"), "{refused}");
    assert!(stop.send(()).is_ok());
    thread.join().map_err(|_| "it panicked")??;
    Ok(())
}

#[test]
fn inline_functions_are_called_in_the_runtime_of_the_engine() -> Result<()> {
    const CLIENTS: usize = 4;
    const CALLS: usize = 50;
    let triton = triton(Engine::Embedded)?;
    let runtimes = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&runtimes);
    let function = Function::new(PerBatch, move |call| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(Handle::current().id().to_string());
        Ok(&call.array::<f32, Ix2>("x")? * 2.0)
    });
    triton.bind(model("inline").instances(2).inline(true), function)?;
    let application = Router::new()
        .route("/runtime", get(async || Handle::current().id().to_string()))
        .fallback_service(triton.router()?);
    let (at, stop, thread) = serve(application)?;
    let calls = || {
        for _ in 0..CALLS {
            let doubled = infer(at, "inline", &[&[3.0]]).map_err(|error| error.to_string());
            assert_eq!(doubled, Ok(json!([6.0])));
        }
    };
    // Several clients at a time, so that batches also wait and are continued.
    thread::scope(|scope| (0..CLIENTS).for_each(|_| drop(scope.spawn(calls))));
    let application = http::get(at, "/runtime")?.body;
    let runtimes = runtimes.lock().unwrap_or_else(PoisonError::into_inner);
    let only = runtimes.iter().next().ok_or("no call")?;
    assert_eq!(runtimes.len(), 1, "{runtimes:?}");
    assert_ne!(application.to_string().trim_matches('"'), only);
    assert!(stop.send(()).is_ok());
    thread.join().map_err(|_| "it panicked")??;
    Ok(())
}

#[test]
fn router_serves_in_addition_to_ports() -> Result<()> {
    let triton = bound()?;
    let ports = triton.run()?.http().ok_or("no HTTP")?;
    let (at, stop, thread) = serve(Router::new().fallback_service(triton.router()?))?;
    for at in [ports, at] {
        assert_eq!(infer(at, "double", &[&[3.0]])?, json!([6.0]));
    }
    assert!(stop.send(()).is_ok());
    thread.join().map_err(|_| "it panicked")??;
    Ok(())
}
