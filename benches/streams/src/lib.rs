//! Models with many responses and with one, of 16 bytes each.

use futures_util::Stream;
use futures_util::stream::{self, StreamExt};
use pytriton::prelude::*;

fn answer() -> Array1<f32> {
    Array1::from_elem(4, 0.5)
}

/// Sends the requested number of responses.
#[pytriton::model(name = "Count", batching = false, instances = 4)]
fn count(count: ArrayView1<i64>) -> impl Iterator<Item = Array1<f32>> {
    let count = usize::try_from(count[0]).unwrap_or_default();
    std::iter::repeat_with(answer).take(count)
}

/// The same without a thread for each request.
#[pytriton::model(name = "Flow", batching = false, batches_in_flight = 64)]
fn flow(count: ArrayView1<i64>) -> impl Stream<Item = Array1<f32>> {
    let count = usize::try_from(count[0]).unwrap_or_default();
    stream::repeat_with(answer).take(count)
}

/// Sends one response.
#[pytriton::model(name = "Once", batching = false)]
fn once(#[input(name = "count")] _: ArrayView1<i64>) -> Array1<f32> {
    answer()
}

/// The same with a state, which stays on the thread of its instance.
struct Stateful;

#[pytriton::model(name = "Held", batching = false)]
impl Stateful {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn infer(&self, #[input(name = "count")] _: ArrayView1<i64>) -> Array1<f32> {
        answer()
    }
}

/// Sends one response and keeps the stream open.
#[pytriton::model(name = "Open", batching = false, batches_in_flight = 2048)]
fn open(#[input(name = "count")] _: ArrayView1<i64>) -> impl Stream<Item = Array1<f32>> {
    stream::once(async { answer() }).chain(stream::pending())
}

pytriton::backend!();
