//! Functions with outputs that identify their request: output `k` of `x` is `1000 x + k`.

use pytriton::prelude::*;

/// Computes one output of an input.
fn entry(x: &ArrayView2<i64>, output: i64) -> Array2<i64> {
    x.mapv(|x| x * 1000 + output)
}

#[pytriton::model(
    name = "Ledger1",
    max_batch_size = 16,
    max_queue_delay_microseconds = 1000
)]
#[batch]
fn one(x: ArrayView2<i64>) -> Array2<i64> {
    entry(&x, 1)
}

#[pytriton::model(
    name = "Ledger2",
    max_batch_size = 16,
    max_queue_delay_microseconds = 1000
)]
#[batch]
fn two(x: ArrayView2<i64>) -> (Array2<i64>, Array2<i64>) {
    (entry(&x, 1), entry(&x, 2))
}

/// Outputs of other types and lengths in between.
#[derive(pytriton::Outputs)]
struct Five {
    #[output(name = "OUTPUT_1")]
    first: Array2<i64>,
    #[output(name = "OUTPUT_2")]
    second: Array2<String>,
    #[output(name = "OUTPUT_3")]
    third: Array2<i64>,
    #[output(name = "OUTPUT_4")]
    fourth: Array2<f64>,
    #[output(name = "OUTPUT_5")]
    fifth: Array2<i64>,
}

#[pytriton::model(
    name = "Ledger5",
    max_batch_size = 16,
    max_queue_delay_microseconds = 1000
)]
#[batch]
fn five(x: ArrayView2<i64>) -> Five {
    Five {
        first: entry(&x, 1),
        second: entry(&x, 2).mapv(|value| value.to_string()),
        third: entry(&x, 3),
        fourth: entry(&x, 4).mapv(|value| value as f64),
        fifth: entry(&x, 5),
    }
}

/// Several batches in flight; each takes a moment.
#[pytriton::model(
    name = "LedgerInFlight",
    max_batch_size = 16,
    max_queue_delay_microseconds = 1000,
    batches_in_flight = 4
)]
#[batch]
async fn in_flight(x: ArrayView2<i64>) -> (Array2<i64>, Array2<i64>) {
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    (entry(&x, 1), entry(&x, 2))
}

/// The outputs of a single request.
type Own = Result<(Array2<i64>, Array2<i64>), String>;

/// Fails each request with a negative value, without affecting others.
#[pytriton::model(
    name = "LedgerRaw",
    max_batch_size = 16,
    max_queue_delay_microseconds = 1000
)]
#[input(name = "x", datatype = INT64, shape = [-1])]
fn raw(requests: &[Request]) -> Vec<Own> {
    requests.iter().map(of_request).collect()
}

fn of_request(request: &Request) -> Own {
    let x = request.array("x").map_err(|error| error.to_string())?;
    let x = x.ok_or("x is missing")?.into_dimensionality();
    let x = x.map_err(|error| error.to_string())?;
    match x.iter().find(|x| **x < 0) {
        Some(x) => Err(format!("{x} is below zero")),
        None => Ok((entry(&x.view(), 1), entry(&x.view(), 2))),
    }
}
