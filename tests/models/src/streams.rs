//! Functions with any number of responses.

use std::iter::repeat_n;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::{self, StreamExt};
use pytriton::prelude::*;

/// Counts from 0 for the given number of responses.
#[pytriton::model(name = "Count", max_batch_size = 8)]
fn count(count: ArrayView2<i32>) -> impl Iterator<Item = Array2<i32>> {
    let count = count.iter().copied().max().unwrap_or_default();
    (0..count).map(|number| Array2::from_elem((1, 1), number))
}

/// Sends each request of a batch its own value, as often as the largest value specifies.
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

/// Fails after the given number of responses; with a negative number, it fails before the stream
/// starts.
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

/// Panics after the given number of responses.
#[pytriton::model(name = "PanicsAt", max_batch_size = 8)]
fn panics_at(at: ArrayView2<i32>) -> impl Iterator<Item = Array2<i32>> {
    let at = at[[0, 0]];
    (0..=at).map(move |number| {
        assert!(number < at, "no answer {at}");
        Array2::from_elem((1, 1), number)
    })
}

/// Waits for the given number of milliseconds before each response.
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

/// The same without blocking its thread.
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

/// Sends the given number of responses at once, and then keeps the stream open.
#[pytriton::model(name = "Kept", max_batch_size = 8, batches_in_flight = 64)]
fn keep_open(count: ArrayView2<i32>) -> impl Stream<Item = Array2<i32>> {
    let count = stream::iter(0..count[[0, 0]]);
    let answers = count.map(|number| Array2::from_elem((1, 1), number));
    answers.chain(stream::pending())
}

/// Sends each request of a batch its value, as often as the largest value specifies, with the
/// number of earlier responses.
#[pytriton::model(name = "Told", max_batch_size = 8)]
#[batch]
async fn repeat_value(
    value: ArrayView2<'_, i32>,
    responses: &Responses<(Array2<i32>, Array2<u32>)>,
) -> Result<(), Cancelled> {
    let times = value.iter().copied().max().unwrap_or_default();
    for number in 0..u32::try_from(times).unwrap_or_default() {
        let before = Array2::from_elem(value.dim(), number);
        let mut parameters = Parameters::default();
        parameters.insert("number", ParameterValue::Int64(number.into()));
        let outputs = (value.to_owned(), before);
        responses.send_with(outputs, parameters).await?;
    }
    Ok(())
}

/// Counts down from the largest value of a batch on a separate thread. Each request receives the
/// numbers up to its own value.
#[pytriton::model(
    name = "Apart",
    max_batch_size = 8,
    max_queue_delay_microseconds = 20_000
)]
#[input(name = "value", datatype = INT32, shape = [1])]
fn send_from_thread(
    requests: &[Request],
    responses: Vec<Responses<Array2<i32>>>,
) -> Result<(), String> {
    let values = requests.iter().map(|request| {
        let value = request
            .array::<i32>("value")
            .map_err(|error| error.to_string())?;
        Ok(value.iter().flatten().next().copied().unwrap_or_default())
    });
    let values = values.collect::<Result<Vec<i32>, String>>()?;
    let most = values.iter().copied().max().unwrap_or_default();
    let mut receivers: Vec<_> = values.into_iter().zip(responses).collect();
    thread::spawn(move || {
        for number in (0..=most).rev() {
            receivers.retain(|(value, responses)| {
                let has_next = number <= *value;
                let answer = Array2::from_elem((1, 1), number);
                !has_next || responses.blocking_send(answer).is_ok()
            });
        }
    });
    Ok(())
}

/// The count that was reached before cancellation.
static REACHED: AtomicU32 = AtomicU32::new(0);

/// Sends responses without end.
#[pytriton::model(name = "Endless", max_batch_size = 1, instances = 2)]
fn endless(_value: ArrayView2<i32>, responses: &Responses<Array2<u32>>) -> Result<(), Cancelled> {
    loop {
        let number = REACHED.fetch_add(1, Ordering::Relaxed);
        responses.blocking_send(Array2::from_elem((1, 1), number))?;
    }
}

/// The number of cancelled calls.
static GIVEN_UP: AtomicU32 = AtomicU32::new(0);

/// Takes up to the given number of milliseconds unless it is cancelled; returns the number of
/// cancelled calls.
#[pytriton::model(name = "Considerate", max_batch_size = 8)]
fn considerate(milliseconds: ArrayView2<u32>, cancellation: &Cancellation) -> Array2<u32> {
    for _ in 0..milliseconds[[0, 0]] {
        if cancellation.is_cancelled() {
            GIVEN_UP.fetch_add(1, Ordering::Relaxed);
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Array2::from_elem(milliseconds.dim(), GIVEN_UP.load(Ordering::Relaxed))
}
