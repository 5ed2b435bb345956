//! A long computation that stops when its client has disconnected.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use pytriton::prelude::*;

#[derive(Default)]
struct Progress {
    started: AtomicBool,
    stopped: AtomicBool,
}

#[pytriton::model(name = "Endless", client = Endless, batching = false)]
fn endless(
    x: ArrayView1<f32>,
    cancellation: &Cancellation,
    progress: &Arc<Progress>,
) -> Result<Array1<f32>, String> {
    progress.started.store(true, Ordering::Release);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if cancellation.is_cancelled() {
            progress.stopped.store(true, Ordering::Release);
            return Err("the client has left".to_owned());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(x.to_owned())
}

#[test]
fn computation_ends_with_its_client() {
    let progress = Arc::new(Progress::default());
    let state = Arc::clone(&progress);
    let loaded = pytriton::testing::load_registered_with(|server| server.state(state)).unwrap();
    let model = loaded.call::<Endless>().unwrap();
    let mut call = Box::pin(async move { model.call(array![1.0]).await });
    assert!(call.as_mut().now_or_never().is_none());
    wait_for(&progress.started);
    drop(call);
    wait_for(&progress.stopped);
}

fn wait_for(event: &AtomicBool) {
    let begun = Instant::now();
    while !event.load(Ordering::Acquire) {
        assert!(begun.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(1));
    }
}
