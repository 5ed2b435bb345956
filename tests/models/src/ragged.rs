//! Models whose batches have rows of different lengths.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// Returns the sum of each row, and the rows and values of its call. The pause lets further
/// requests queue up.
#[pytriton::model(name = "RaggedSum", max_batch_size = 16)]
#[batch]
fn ragged_sum(tokens: Ragged<i64>) -> (Array2<i64>, Array2<u64>) {
    thread::sleep(Duration::from_millis(30));
    sums(&tokens)
}

/// A batch is formed at four rows, or two seconds after its first request.
#[pytriton::model(
    name = "RaggedPreferred",
    max_batch_size = 8,
    preferred_batch_size = [4],
    max_queue_delay_microseconds = 2_000_000
)]
#[batch]
fn ragged_preferred(tokens: Ragged<i64>) -> (Array2<i64>, Array2<u64>) {
    sums(&tokens)
}

/// A call has at most 20 values, or one request.
#[pytriton::model(name = "RaggedCost", max_batch_size = 16, max_batch_cost = 20)]
#[batch]
#[cost(tokens)]
fn ragged_cost(tokens: Ragged<i64>) -> (Array2<i64>, Array2<u64>) {
    thread::sleep(Duration::from_millis(30));
    sums(&tokens)
}

/// Joins the words of each row. Rows with different keys are in different calls, which have as many
/// rows as the largest batch.
#[pytriton::model(name = "RaggedWords", max_batch_size = 16)]
#[fill_optionals(key = 7)]
#[batch]
#[group_by_values(key)]
#[pad_batch]
fn ragged_words(
    words: Ragged<String>,
    weights: Option<Ragged<f32>>,
    key: ArrayView2<i32>,
) -> (Array2<String>, Array2<u64>) {
    thread::sleep(Duration::from_millis(5));
    let rows = words.rows().enumerate().map(|(row, words)| {
        let weight = weights.map_or(1.0, |weights| weights.row(row).sum());
        format!("{} {weight} {}", words.to_vec().join("+"), key[[row, 0]])
    });
    let rows: Array1<String> = rows.collect();
    let count = Array2::from_elem((words.len(), 1), words.len() as u64);
    (rows.insert_axis(Axis(1)), count)
}

/// The sum of all values of a sequence.
#[pytriton::model(name = "RaggedSequence", max_batch_size = 4, sequence_batching = oldest)]
#[batch]
fn ragged_sequence(x: Ragged<f32>, #[sequence] totals: &mut [&mut f32]) -> Array2<f32> {
    for (row, total) in x.rows().zip(totals.iter_mut()) {
        **total += row.sum();
    }
    let totals: Array1<f32> = totals.iter().map(|total| **total).collect();
    totals.insert_axis(Axis(1))
}

/// Returns each value as a response of its own.
#[pytriton::model(name = "RaggedStream", max_batch_size = 4)]
#[batch]
fn ragged_stream(x: Ragged<f32>) -> impl Iterator<Item = Array2<f32>> + use<> {
    let rows: Vec<Vec<f32>> = x.rows().map(|row| row.to_vec()).collect();
    let most = x.lengths().max().unwrap_or_default();
    (0..most).map(move |index| {
        let values: Array1<f32> = rows
            .iter()
            .map(|row| row.get(index).copied().unwrap_or_default())
            .collect();
        values.insert_axis(Axis(1))
    })
}

fn sums(tokens: &Ragged<'_, i64>) -> (Array2<i64>, Array2<u64>) {
    let sums: Array1<i64> = tokens.rows().map(|row| row.sum()).collect();
    let size = [tokens.len() as u64, tokens.values().len() as u64];
    let sizes = Array2::from_shape_fn((tokens.len(), 2), |(_, index)| size[index]);
    (sums.insert_axis(Axis(1)), sizes)
}
