//! The parts that a program adds to a server without a command line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::routing::get;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use pytriton::server::Builder;
use pytriton_tests::Engine;
use serde_json::json;

use crate::router::serve;
use crate::{Result, builder, http};

/// Creates a server with a metric and a readiness check.
fn observed() -> Result<(Builder, Counter, Arc<AtomicBool>)> {
    let (hits, is_ready) = (Counter::default(), Arc::new(AtomicBool::new(true)));
    let mut registry = Registry::default();
    registry.register("own_hits", "Requests to the program", hits.clone());
    let check = Arc::clone(&is_ready);
    let builder = builder(Engine::Embedded)?
        .metrics(registry)
        .ready(move || check.load(Ordering::Relaxed));
    Ok((builder, hits, is_ready))
}

#[test]
fn builder_adds_routes_metrics_and_a_readiness_check() -> Result<()> {
    let (builder, hits, is_ready) = observed()?;
    let triton = builder
        .state(Arc::new("shared"))
        .router(move |models, app| {
            let state = app.state::<&str>().map_or("", |state| **state);
            let hits = hits.clone();
            let handler = async move || {
                hits.inc();
                state
            };
            models.route("/state", get(handler))
        })
        .build()?;
    let addresses = triton.run()?;
    let at = addresses.http().ok_or("no HTTP")?;
    assert_eq!(http::get(at, "/state")?.body, json!("shared"));
    assert_eq!(http::get(at, "/v2/health/ready")?.status, 200);
    is_ready.store(false, Ordering::Relaxed);
    assert_eq!(http::get(at, "/v2/health/ready")?.status, 400);
    let metrics = addresses.metrics().ok_or("no metrics")?;
    let text = http::get(metrics, "/metrics")?.body.to_string();
    assert!(text.contains("own_hits_total 1"), "{text}");
    Ok(())
}

#[test]
fn router_without_ports_has_the_metrics_and_the_readiness_check() -> Result<()> {
    let (builder, hits, is_ready) = observed()?;
    let triton = builder.build()?;
    let (at, stop, thread) = serve(Router::new().fallback_service(triton.router()?))?;
    hits.inc();
    let text = http::get(at, "/metrics")?.body.to_string();
    assert!(text.contains("own_hits_total 1"), "{text}");
    assert_eq!(http::get(at, "/v2/health/ready")?.status, 200);
    is_ready.store(false, Ordering::Relaxed);
    assert_eq!(http::get(at, "/v2/health/ready")?.status, 400);
    assert!(stop.send(()).is_ok());
    thread.join().map_err(|_| "it panicked")??;
    Ok(())
}

#[test]
fn parts_that_cannot_be_served_are_errors() -> Result<()> {
    let triton = builder(Engine::Embedded)?
        .router(|models, _| models)
        .build()?;
    let error = triton.router().map(drop).unwrap_err().to_string();
    let expected = "the program has a router, but the server opens no port";
    assert!(error.starts_with(expected), "{error}");
    let mut registry = Registry::default();
    registry.register("nv_rows", "Rows", Counter::<u64>::default());
    let refused = builder(Engine::Embedded)?.metrics(registry).build();
    let error = refused.map(drop).unwrap_err().to_string();
    assert!(error.contains("starts with `nv_`"), "{error}");
    Ok(())
}
