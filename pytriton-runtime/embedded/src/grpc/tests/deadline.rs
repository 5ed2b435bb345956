//! Calls with a deadline, without a client, which would enforce the deadline itself.

use std::time::Duration;

use axum::body::Body;
use tokio::time::{Instant, sleep};

use crate::testing::GATE;

use super::slow::{app, call, framed, pieces};
use super::*;

#[tokio::test]
async fn expired_call_leaves_the_queue() {
    let app_state = app().await;
    let gate = GATE.lock().await;
    let body = |value| Body::from(framed(&message("1", &[value])));
    let holding = app_state.clone();
    let held = body(-5.0);
    let held = tokio::spawn(async move { call(&holding, "ModelInfer", None, held).await });
    sleep(Duration::from_millis(100)).await;
    let begun = Instant::now();
    let late = call(&app_state, "ModelInfer", Some("200m"), body(1.0)).await;
    assert_eq!(late.0, "4");
    assert!(begun.elapsed() >= Duration::from_millis(200));
    drop(gate);
    let held = timeout(TEST_TIMEOUT, held).await.unwrap().unwrap();
    assert_eq!(held.0, "0");
    let model = app_state.models.model("Identity", None).unwrap();
    // Only the first of the two requests was executed.
    assert_eq!(model.totals().inference_count, 1);
}

#[tokio::test]
async fn expired_stream_ends() {
    let app_state = app().await;
    let begun = Instant::now();
    let body = pieces(vec![(0, framed(&message("1", &[1.0])))]);
    let (code, responses) = call(&app_state, "ModelStreamInfer", Some("400m"), body).await;
    assert_eq!(code, "4");
    assert!(responses > 0);
    assert!(begun.elapsed() >= Duration::from_millis(400));
}
