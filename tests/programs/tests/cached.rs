//! Responses to identical requests from the cache.

use std::sync::atomic::{AtomicU32, Ordering};

use pytriton::error::CallError;
use pytriton::prelude::*;

static CALLS: AtomicU32 = AtomicU32::new(0);

#[pytriton::model(name = "Square", client = Square, batching = false, response_cache = true)]
fn square(x: ArrayView1<f64>) -> Array1<f64> {
    CALLS.fetch_add(1, Ordering::Relaxed);
    &x * &x
}

#[pytriton::test(server = |server| server.arguments(["--cache-config=local,size=1048576"]))]
async fn identical_requests_are_computed_once(square: Call<Square>) -> Result<(), CallError> {
    for x in [2.0, 3.0, 2.0, 3.0, 2.0] {
        assert_eq!(square.call(array![x]).await?, array![x * x]);
    }
    assert_eq!(CALLS.load(Ordering::Relaxed), 2);
    Ok(())
}
