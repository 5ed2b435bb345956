//! Outputs that a function may omit.

use pytriton::prelude::*;

/// The values, and their sum if it is positive.
type Summed = (Array2<f32>, Option<Array2<f32>>);

fn summed(x: &ArrayView2<f32>) -> Summed {
    let sum = x.sum();
    let sums = (sum > 0.0).then(|| Array2::from_elem((x.nrows(), 1), sum));
    (x.to_owned(), sums)
}

/// One call per request: the requests of a batch may differ.
#[pytriton::model(name = "Omits", max_batch_size = 8)]
fn omits(x: ArrayView2<f32>) -> Summed {
    summed(&x)
}

#[pytriton::model(name = "OmitsCached", max_batch_size = 8, response_cache = true)]
fn omits_cached(x: ArrayView2<f32>) -> Summed {
    summed(&x)
}

/// One call per batch of two rows, which has the output or not.
#[pytriton::model(
    name = "OmitsForAll",
    max_batch_size = 2,
    preferred_batch_size = [2],
    max_queue_delay_microseconds = 2_000_000
)]
#[batch]
fn omits_for_all(x: ArrayView2<f32>) -> Summed {
    summed(&x)
}

#[derive(pytriton::Outputs)]
struct Explained {
    score: Array1<f32>,
    #[output(name = "explanation")]
    reason: Option<Array1<String>>,
}

/// Without a batch axis, in a struct.
#[pytriton::model(name = "Explained", batching = false)]
fn explained(x: ArrayView1<f32>, explain: Option<ArrayView1<bool>>) -> Result<Explained, String> {
    let score = array![x.sum()];
    let explain = explain.is_some_and(|explain| explain.iter().all(|&explain| explain));
    let reason = explain.then(|| array![format!("the sum of {} values", x.len())]);
    Ok(Explained { score, reason })
}

/// The only output.
#[pytriton::model(name = "OmitsOnly", max_batch_size = 8)]
#[output(name = "y")]
fn omits_only(x: ArrayView2<f32>) -> Option<Array2<f32>> {
    (x.sum() > 0.0).then(|| x.to_owned())
}

#[pytriton::model(name = "OmitsRaw", max_batch_size = 8)]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn omits_raw(requests: &[Request]) -> Vec<Result<Summed, String>> {
    let summed = |request: &Request| {
        let x = request
            .array::<f32>("x")
            .map_err(|error| error.to_string())?;
        let x = x.ok_or("x is missing")?.into_dimensionality::<Ix2>();
        let x = x.map_err(|error| error.to_string())?;
        Ok(summed(&x.view()))
    };
    requests.iter().map(summed).collect()
}

/// Groups the rows by `key`; only groups of a positive key have the sum.
#[pytriton::model(
    name = "OmitsInGroups",
    max_batch_size = 8,
    preferred_batch_size = [4],
    max_queue_delay_microseconds = 2_000_000
)]
#[batch]
#[group_by_values(key)]
fn omits_in_groups(x: ArrayView2<f32>, #[first_value] key: i32) -> Summed {
    let sums = (key > 0).then(|| Array2::from_elem((x.nrows(), 1), x.sum()));
    (x.to_owned(), sums)
}

/// Counts to the value; only even numbers have a square.
#[pytriton::model(name = "OmitsInStream", max_batch_size = 8)]
fn omits_in_stream(
    to: ArrayView2<i32>,
) -> impl Iterator<Item = (Array2<i32>, Option<Array2<i32>>)> {
    (0..to[[0, 0]]).map(|number| {
        let square = (number % 2 == 0).then(|| array![[number * number]]);
        (array![[number]], square)
    })
}
