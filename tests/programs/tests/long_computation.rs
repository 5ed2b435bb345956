//! A long computation that stops when its client has disconnected.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use pytriton::prelude::*;

#[derive(Default)]
struct Stopped(AtomicBool);

#[pytriton::model(name = "Endless", client = Endless, batching = false)]
fn endless(
    x: ArrayView1<f32>,
    cancellation: &Cancellation,
    stopped: &Arc<Stopped>,
) -> Result<Array1<f32>, String> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if cancellation.is_cancelled() {
            stopped.0.store(true, Ordering::Release);
            return Err("the client has left".to_owned());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(x.to_owned())
}

#[test]
fn computation_ends_with_its_client() {
    let stopped = Arc::new(Stopped::default());
    let state = Arc::clone(&stopped);
    let loaded = pytriton::testing::load_registered_with(|server| server.state(state)).unwrap();
    let model = loaded.call::<Endless>().unwrap();
    let mut call = Box::pin(async move { model.call(array![1.0]).await });
    assert!(call.as_mut().now_or_never().is_none());
    std::thread::sleep(Duration::from_millis(50));
    drop(call);
    let begun = Instant::now();
    while !stopped.0.load(Ordering::Acquire) {
        assert!(begun.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(1));
    }
}
