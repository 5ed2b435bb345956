//! A batching queue around a closure. Twenty tasks submit one row each; the queue forms batches of
//! them, and prints their sizes.
//!
//! `cargo run -p pytriton-scheduler --example batch_queue`

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use ndarray::{Array2, ArrayView2, array};
use pytriton_scheduler::{BatchQueue, Model};
use tokio::task::JoinSet;

/// The number of requests, of one row each.
pub(crate) const REQUESTS: u8 = 20;

/// The memory of all requests that wait or run at the same time, and of their results.
const MAX_BYTES: usize = 64 << 20;

/// Returns how many batches of each size were executed, by size.
pub(crate) async fn batch_sizes() -> Result<Vec<(usize, u64)>, Box<dyn Error + Send + Sync>> {
    let options = Model::new("square")
        .max_batch_size(8)
        // A batch leaves when it is full, or when its first request has waited this long.
        .max_queue_delay(Duration::from_millis(20))
        .max_queue_size(100);
    let square = |rows: ArrayView2<'_, f32>| -> Array2<f32> { rows.mapv(|value| value * value) };
    let queue = Arc::new(BatchQueue::start(options, MAX_BYTES, square).await?);
    let mut requests = JoinSet::new();
    for number in 0..REQUESTS {
        let queue = Arc::clone(&queue);
        requests.spawn(async move {
            let value = f32::from(number);
            let result = queue.submit(array![[value]]).await;
            result.map(|result| assert_eq!(result, array![[value * value]]))
        });
    }
    while let Some(request) = requests.join_next().await {
        request??;
    }
    let batches = queue.statistics().batches;
    let sizes = batches
        .iter()
        .map(|(&size, batch)| (size, batch.compute_infer.count));
    Ok(sizes.collect())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    for (size, count) in batch_sizes().await? {
        eprintln!("{count} batches of {size} rows");
    }
    Ok(())
}
