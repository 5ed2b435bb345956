//! The models of the tests.

use std::error::Error as StdError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::try_join_all;
use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::{Error, ErrorKind, SequenceId};
use tokio::time::sleep;

/// The number of calls of `Double`, and the rows of the largest.
pub(crate) static DOUBLED: AtomicUsize = AtomicUsize::new(0);
pub(crate) static MOST_ROWS: AtomicUsize = AtomicUsize::new(0);

#[pytriton::model(
    name = "Double",
    client = Double,
    max_batch_size = 8,
    max_queue_delay_microseconds = 200_000,
)]
#[batch]
pub(crate) fn double(x: ArrayView2<f32>) -> Array2<f32> {
    DOUBLED.fetch_add(1, Ordering::Relaxed);
    MOST_ROWS.fetch_max(x.nrows(), Ordering::Relaxed);
    &x * 2.0
}

/// A queue timeout needs a timer.
#[pytriton::model(name = "Timed", client = Timed, default_timeout_microseconds = 10_000_000)]
#[batch]
pub(crate) fn timed(x: ArrayView2<f32>) -> Array2<f32> {
    &x + 1.0
}

/// Runs on the thread of the caller.
#[pytriton::model(name = "Inline", client = Inline, inline = true)]
#[batch]
pub(crate) fn inline(x: ArrayView2<f32>) -> Array2<f32> {
    &x + 2.0
}

/// Three outputs, a value for all rows, an optional input, text.
#[pytriton::model(name = "Mixed", client = Mixed, max_batch_size = 4)]
#[output(name = "scaled")]
#[output(name = "words")]
#[batch]
pub(crate) fn mixed(
    x: ArrayView2<f64>,
    #[first_value] scale: f64,
    words: Option<ArrayView2<String>>,
) -> (Array2<f64>, Array2<String>) {
    let rows = x.nrows();
    let words = words.map_or_else(
        || Array2::from_elem((rows, 1), "none".to_owned()),
        |words| words.mapv(|word| word.to_uppercase()),
    );
    (&x * scale, words)
}

/// The second output is omitted for negative sums.
#[pytriton::model(name = "Rooted", client = Rooted, max_batch_size = 4)]
pub(crate) fn rooted(x: ArrayView2<f32>) -> (Array2<f32>, Option<Array2<f32>>) {
    let sum = x.sum();
    (array![[sum]], (sum >= 0.0).then(|| array![[sum.sqrt()]]))
}

/// Omits its output if the called model does.
#[pytriton::model(name = "RelaysRoot", max_batch_size = 4)]
pub(crate) async fn relays_root(
    x: ArrayView2<'_, f32>,
    rooted: &Call<Rooted>,
) -> Result<Option<Array2<f32>>, CallError> {
    let (_, root): (_, Option<Array2<f32>>) = rooted.call(x).await?;
    Ok(root)
}

#[pytriton::model(name = "Caller", max_batch_size = 8)]
#[batch]
pub(crate) async fn caller(
    x: ArrayView2<'_, f32>,
    double: &Call<Double>,
    mixed: &Call<Mixed>,
) -> Result<Array2<f64>, Error> {
    let doubled = double.call(x).await?;
    let (scaled, words) = mixed.call(doubled.mapv(f64::from), 10.0, None).await?;
    assert_eq!(words.dim(), (x.nrows(), 1));
    Ok(scaled)
}

/// Calls from a function that is not `async`, one for each row.
#[pytriton::model(name = "Blocking", max_batch_size = 8)]
#[batch]
pub(crate) fn blocking(
    x: ArrayView2<f32>,
    double: &Call<Double>,
) -> Result<Array2<f32>, CallError> {
    let mut rows = Array2::zeros(x.dim());
    for (row, mut result) in x.outer_iter().zip(rows.outer_iter_mut()) {
        let doubled = double.call(row.insert_axis(Axis(0))).wait()?;
        result.assign(&doubled.row(0));
    }
    Ok(rows)
}

/// Concurrent calls for one request, without a batch axis.
#[pytriton::model(name = "Fan", batching = false, batches_in_flight = 4)]
pub(crate) async fn fan(
    count: ArrayView1<'_, i32>,
    double: &Call<Double>,
) -> Result<Array1<f32>, Box<dyn StdError + Send + Sync>> {
    let calls = (0..count[0]).map(|index| double.call(array![[index as f32]]));
    let doubled = try_join_all(calls).await?;
    Ok(doubled.iter().map(|rows| rows.sum()).collect())
}

/// A model that calls another while it is loaded, and stores the handle.
pub(crate) struct Prepared {
    factor: f32,
    double: Call<Double>,
}

#[pytriton::model(name = "Aprepared", client = Prepared)]
impl Prepared {
    #[load]
    fn load(context: &Context, double: Call<Double>) -> Result<Self, CallError> {
        assert_eq!(&*context.model().name, "Aprepared");
        let factor = double.call(array![[2.0]]).wait()?[[0, 0]];
        Ok(Self { factor, double })
    }

    #[infer]
    #[batch]
    pub(crate) async fn infer(&self, x: ArrayView2<'_, f32>) -> Result<Array2<f32>, Error> {
        Ok(self.double.call(x).await? * self.factor)
    }
}

#[pytriton::model(name = "Count", client = Count, batching = false)]
pub(crate) fn count(
    to: ArrayView1<i32>,
) -> impl Iterator<Item = Result<Array1<i32>, Error>> + use<> {
    let to = to[0];
    (0..to).map(move |number| match number {
        7 => Err(Error::resource_exhausted("seven")),
        number => Ok(array![number]),
    })
}

#[pytriton::model(name = "Summed", batching = false)]
pub(crate) async fn summed(
    to: ArrayView1<'_, i32>,
    count: &Call<Count>,
) -> Result<Array1<i32>, Error> {
    let mut responses = count.call(to);
    let mut sum = 0;
    while let Some(number) = responses.next().await {
        sum += number?.sum();
    }
    Ok(array![sum])
}

#[pytriton::model(name = "BlockingSum", batching = false)]
pub(crate) fn blocking_sum(to: ArrayView1<i32>, count: &Call<Count>) -> Result<Array1<i32>, Error> {
    let mut responses = count.call(to);
    let mut sum = 0;
    while let Some(number) = responses.wait_next() {
        sum += number?.sum();
    }
    Ok(array![sum])
}

/// A stream that passes on the responses of another.
#[pytriton::model(name = "Relayed", client = Relayed, batching = false)]
pub(crate) async fn relayed(
    to: ArrayView1<'_, i32>,
    count: &Call<Count>,
) -> impl futures_util::Stream<Item = Result<Array1<i32>, CallError>> + use<> {
    count
        .call(to)
        .map(|number| number.map(|number| number * 10))
}

#[derive(Debug)]
pub(crate) struct Total;

#[pytriton::model(name = "Total", client = Total)]
impl Total {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    pub(crate) fn infer(&self, #[sequence] sum: &mut i64, x: ArrayView2<i64>) -> Array2<i64> {
        *sum += x.sum();
        array![[*sum]]
    }
}

/// A sequence for each call.
#[pytriton::model(name = "Totals", batching = false)]
pub(crate) async fn totals(
    x: ArrayView1<'_, i64>,
    total: &Call<Total>,
) -> Result<Array1<i64>, Error> {
    let id = SequenceId::Number(x[0].unsigned_abs());
    let last = x.len() - 1;
    let mut sums = Vec::new();
    for (index, value) in x.iter().enumerate() {
        let sequence = Sequence::new(id.clone());
        let sequence = sequence.map(|sequence| sequence.start(index == 0).end(index == last));
        let sequence = sequence.ok_or_else(|| Error::invalid_argument("no ID"))?;
        sums.push(total.sequence(sequence).call(array![[*value]]).await?[[0, 0]]);
    }
    Ok(sums.into())
}

/// Fails with the kind of the number.
#[pytriton::model(name = "Failing", client = Failing, batching = false)]
pub(crate) fn failing(kind: ArrayView1<i32>) -> Result<Array1<i32>, Error> {
    Err(match kind[0] {
        0 => Error::invalid_argument("zero"),
        1 => Error::not_found("one"),
        2 => Error::resource_exhausted("two").retry_after(Duration::from_secs(7)),
        3 => Error::unavailable("three"),
        4 => Error::deadline_exceeded("four"),
        5 => Error::unimplemented("five"),
        6 => panic!("six"),
        _ => Error::internal("seven"),
    })
}

#[pytriton::model(name = "FailingCaller", batching = false)]
pub(crate) async fn failing_caller(
    kind: ArrayView1<'_, i32>,
    failing: &Call<Failing>,
) -> Result<Array1<i32>, Error> {
    Ok(failing.call(kind).await?)
}

/// Handles the error of a called model.
#[pytriton::model(name = "Handled", batching = false)]
pub(crate) async fn handled(
    kind: ArrayView1<'_, i32>,
    failing: &Call<Failing>,
) -> Result<Array1<i32>, Error> {
    match failing.call(kind).await {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            assert_eq!(error.model(), "Failing");
            Ok(array![404])
        }
        Err(error) if error.retry_time().is_some() => Ok(array![429]),
        result => Ok(result?),
    }
}

/// Whether the slow function is running, and whether it was cancelled.
pub(crate) static RUNNING: AtomicUsize = AtomicUsize::new(0);
pub(crate) static CANCELLED: AtomicUsize = AtomicUsize::new(0);

#[pytriton::model(name = "Slow", client = Slow, max_batch_size = 1, max_queue_size = 1)]
#[batch]
pub(crate) async fn slow(x: ArrayView2<'_, i32>, cancellation: &Cancellation) -> Array2<i32> {
    RUNNING.fetch_add(1, Ordering::SeqCst);
    while x[[0, 0]] != 0 && !cancellation.is_cancelled() {
        sleep(Duration::from_millis(1)).await;
    }
    if cancellation.is_cancelled() {
        CANCELLED.fetch_add(1, Ordering::SeqCst);
    }
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    x.to_owned()
}

#[pytriton::model(name = "SlowCaller", batching = false, batches_in_flight = 16)]
pub(crate) async fn slow_caller(
    x: ArrayView2<'_, i32>,
    slow: &Call<Slow>,
) -> Result<Array2<i32>, Error> {
    Ok(slow.call(x).await?)
}
