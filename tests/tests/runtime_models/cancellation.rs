//! Functions that check whether their clients still wait. tritonserver notices it over gRPC only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pytriton::ndarray::Ix2;
use pytriton::runtime_models::{Function, PerRequest};
use pytriton::testing;

use crate::http::begin;
use crate::{DEADLINE, Result, model};

#[test]
fn function_ends_when_its_client_disconnects() -> Result<()> {
    let [called, noticed] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let flags = [Arc::clone(&called), Arc::clone(&noticed)];
    let function = Function::new(PerRequest, move |call| {
        let cancellation = call.cancellation()?;
        let [called, noticed] = &flags;
        called.store(true, Ordering::SeqCst);
        let begun = Instant::now();
        while !cancellation.is_cancelled() && begun.elapsed() < DEADLINE {
            thread::sleep(Duration::from_millis(1));
        }
        noticed.store(cancellation.is_cancelled(), Ordering::SeqCst);
        Ok(call.array::<f32, Ix2>("x")?.into_owned())
    });
    let served = testing::serve(model("patient").cancellable(), function)?;
    let request = begin(served.http(), "patient", &[&[1.0]])?;
    until(&called)?;
    drop(request);
    until(&noticed)
}

/// Waits for a flag.
fn until(flag: &AtomicBool) -> Result<()> {
    let begun = Instant::now();
    while !flag.load(Ordering::SeqCst) {
        if begun.elapsed() > DEADLINE {
            return Err("the flag was not set".into());
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
