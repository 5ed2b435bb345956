//! Functions that take 5 ms: one that waits, with one batch in flight and with four, and one that
//! blocks its thread, once per batch.

use std::time::Duration;

use pytriton::prelude::*;

const TIME: Duration = Duration::from_millis(5);

#[pytriton::model(name = "One", max_batch_size = 1)]
async fn one(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    tokio::time::sleep(TIME).await;
    input.to_owned()
}

#[pytriton::model(name = "Four", max_batch_size = 1, batches_in_flight = 4)]
async fn four(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    tokio::time::sleep(TIME).await;
    input.to_owned()
}

#[pytriton::model(name = "Batched", max_batch_size = 16)]
#[batch]
fn batched(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    std::thread::sleep(TIME);
    input.to_owned()
}

pytriton::main!();
