//! Models that make batches visible.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// Returns each value and the number of rows in its batch. The pause lets further requests queue
/// up.
#[pytriton::model(name = "Gather", max_batch_size = 16)]
#[batch]
fn gather(x: ArrayView2<f32>) -> (Array2<f32>, Array2<u64>) {
    thread::sleep(Duration::from_millis(30));
    (x.to_owned(), rows(&x))
}

/// A batch is formed at four rows, or two seconds after its first request.
#[pytriton::model(
    name = "Preferred",
    max_batch_size = 8,
    preferred_batch_size = [4],
    max_queue_delay_microseconds = 2_000_000
)]
#[batch]
fn preferred(x: ArrayView2<f32>) -> (Array2<f32>, Array2<u64>) {
    (x.to_owned(), rows(&x))
}

/// One call per request, whatever the batch.
#[pytriton::model(name = "OneByOne", max_batch_size = 16)]
fn one_by_one(x: ArrayView2<f32>) -> (Array2<f32>, Array2<u64>) {
    thread::sleep(Duration::from_millis(5));
    (x.to_owned(), rows(&x))
}

#[pytriton::model(name = "Scale", max_batch_size = 16)]
#[batch]
fn scale(x: ArrayView2<f32>, #[first_value] scale: f32) -> Array2<f32> {
    &x * scale
}

#[pytriton::model(name = "LooseScale", max_batch_size = 16)]
#[batch]
fn loose_scale(x: ArrayView2<f32>, #[first_value(strict = false)] scale: f32) -> Array2<f32> {
    &x * scale
}

/// Returns the number of rows of the batch, once per row.
fn rows(x: &ArrayView2<f32>) -> Array2<u64> {
    Array2::from_elem((x.nrows(), 1), x.nrows() as u64)
}
