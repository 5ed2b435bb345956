//! Functions with any number of answers to a request.

use std::iter::repeat_n;
use std::thread;
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::{self, StreamExt};
use pytriton::prelude::*;

/// As many answers as it is told, which count from 0.
#[pytriton::model(name = "Count", max_batch_size = 8)]
fn count(count: ArrayView2<i32>) -> impl Iterator<Item = Array2<i32>> {
    let count = count.iter().copied().max().unwrap_or_default();
    (0..count).map(|number| Array2::from_elem((1, 1), number))
}

/// Answers all requests of a batch with their own values, as often as the largest says.
#[pytriton::model(
    name = "Repeat",
    max_batch_size = 8,
    max_queue_delay_microseconds = 50_000,
    instances = 2
)]
#[batch]
fn repeat(value: ArrayView2<i32>) -> impl Iterator<Item = Array2<i32>> {
    let times = value.iter().copied().max().unwrap_or_default();
    repeat_n(value.to_owned(), usize::try_from(times).unwrap_or_default())
}

/// Fails behind as many answers as it is told; with a number below 0 before it has any.
#[pytriton::model(name = "FailsAt", max_batch_size = 8)]
fn fails_at(
    at: ArrayView2<i32>,
) -> Result<impl Iterator<Item = Result<Array2<i32>, String>>, String> {
    let at = at[[0, 0]];
    if at < 0 {
        return Err(format!("{at} is below 0"));
    }
    Ok((0..=at).map(move |number| match number == at {
        false => Ok(Array2::from_elem((1, 1), number)),
        true => Err(format!("no answer {at}")),
    }))
}

/// Panics behind as many answers as it is told.
#[pytriton::model(name = "PanicsAt", max_batch_size = 8)]
fn panics_at(at: ArrayView2<i32>) -> impl Iterator<Item = Array2<i32>> {
    let at = at[[0, 0]];
    (0..=at).map(move |number| {
        assert!(number < at, "no answer {at}");
        Array2::from_elem((1, 1), number)
    })
}

/// Waits so many milliseconds before each of its answers.
#[pytriton::model(name = "SlowCount", max_batch_size = 8, instances = 4)]
fn slow_count(
    count: ArrayView2<i32>,
    milliseconds: ArrayView2<u32>,
) -> impl Iterator<Item = Array2<i32>> {
    let pause = Duration::from_millis(milliseconds[[0, 0]].into());
    (0..count[[0, 0]]).map(move |number| {
        thread::sleep(pause);
        Array2::from_elem((1, 1), number)
    })
}

/// The same without holding its thread.
#[pytriton::model(name = "PatientCount", max_batch_size = 8, batches_in_flight = 64)]
fn patient_count(
    count: ArrayView2<i32>,
    milliseconds: ArrayView2<u32>,
) -> impl Stream<Item = Array2<i32>> {
    let pause = Duration::from_millis(milliseconds[[0, 0]].into());
    stream::iter(0..count[[0, 0]]).then(move |number| async move {
        tokio::time::sleep(pause).await;
        Array2::from_elem((1, 1), number)
    })
}
