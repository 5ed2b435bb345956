//! A server whose function blocks all threads of the runtime.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// Longer than the timeout of any test.
const BLOCKED_TIME: Duration = Duration::from_secs(60);

#[pytriton::model(name = "Blocking", max_batch_size = 1)]
async fn blocked_runtime(x: ArrayView2<f32>) -> Array2<f32> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..4 * threads {
        tokio::spawn(async { thread::sleep(BLOCKED_TIME) });
    }
    x.to_owned()
}

pytriton::main!();
