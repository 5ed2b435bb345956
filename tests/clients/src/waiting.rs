//! Slow functions.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// Takes the given number of milliseconds.
#[pytriton::model(name = "Slow", batching = false, instances = 2)]
fn slow(milliseconds: ArrayView1<u32>) -> Array1<u32> {
    thread::sleep(Duration::from_millis(milliseconds[0].into()));
    milliseconds.to_owned()
}

/// One request runs, one is queued, and the next is refused.
#[pytriton::model(name = "TinyQueue", max_batch_size = 1, max_queue_size = 1)]
fn tiny_queue(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    thread::sleep(Duration::from_millis(milliseconds[[0, 0]].into()));
    milliseconds.to_owned()
}

/// Returns a large tensor after the given number of milliseconds.
#[pytriton::model(name = "Late", batching = false)]
#[output(name = "y", shape = [65_536])]
fn late(
    #[input(shape = [65_536])] x: ArrayView1<f32>,
    milliseconds: ArrayView1<u32>,
) -> Array1<f32> {
    thread::sleep(Duration::from_millis(milliseconds[0].into()));
    x.to_owned()
}

/// Sends the first elements as one response each, with the given delay before each.
#[pytriton::model(name = "Elements", batching = false, batches_in_flight = 8)]
fn elements(
    x: ArrayView1<f32>,
    milliseconds: ArrayView1<u32>,
) -> impl Iterator<Item = Array1<f32>> {
    let (x, pause) = (x.to_owned(), milliseconds[0]);
    (0..3).map(move |number| {
        thread::sleep(Duration::from_millis(pause.into()));
        Array1::from_elem(1, x[number])
    })
}

/// The number of cancelled calls.
static GIVEN_UP: AtomicU32 = AtomicU32::new(0);

/// Takes up to the given number of milliseconds unless it is cancelled; returns the number of
/// cancelled calls.
#[pytriton::model(name = "Considerate", batching = false, instances = 2)]
fn considerate(milliseconds: ArrayView1<u32>, cancellation: &Cancellation) -> Array1<u32> {
    for _ in 0..milliseconds[0] {
        if cancellation.is_cancelled() {
            GIVEN_UP.fetch_add(1, Ordering::Relaxed);
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Array1::from_elem(1, GIVEN_UP.load(Ordering::Relaxed))
}

/// The parameters and headers of the request, one per response.
#[pytriton::model(name = "SaidOften", batching = false)]
fn said_often(x: ArrayView1<f32>, parameters: &Parameters) -> impl Iterator<Item = Array1<String>> {
    let lines = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let (length, lines) = (x.len(), lines.collect::<Vec<_>>());
    lines
        .into_iter()
        .map(move |lines| Array1::from_elem(length, lines))
}

/// Counts from 0 for the given number of responses, with the given delay before each. Fails instead
/// of response `fails_at`.
#[pytriton::model(name = "Count", max_batch_size = 4, batches_in_flight = 8)]
fn count(
    count: ArrayView2<i32>,
    milliseconds: Option<ArrayView2<u32>>,
    fails_at: Option<ArrayView2<i32>>,
) -> impl Iterator<Item = Result<Array2<i32>, String>> {
    let pause = milliseconds.map_or(0, |milliseconds| milliseconds[[0, 0]]);
    let fails_at = fails_at.map_or(-1, |at| at[[0, 0]]);
    (0..count[[0, 0]]).map(move |number| {
        thread::sleep(Duration::from_millis(pause.into()));
        match number == fails_at {
            true => Err(format!("no answer {number}")),
            false => Ok(Array2::from_elem((1, 1), number)),
        }
    })
}
