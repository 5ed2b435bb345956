use std::sync::LazyLock;

use pytriton::prelude::*;

static WEIGHTS: LazyLock<Array2<f32>> =
    LazyLock::new(|| Array::from_shape_fn((20, 30), |(i, j)| (i + j) as f32 / 16.0));

/// Multiplies each row by the weights.
#[pytriton::model(name = "Linear", max_batch_size = 16)]
#[output(shape = [30])]
#[batch]
fn linear(
    /// The rows.
    #[input(shape = [20])]
    x: ArrayView2<f32>,
    /// A factor for all products.
    #[first_value]
    scale: f32,
) -> Array2<f32> {
    x.dot(&*WEIGHTS) * scale
}

/// Counts down to zero.
#[pytriton::model(name = "Countdown", batching = false)]
fn countdown(from: ArrayView1<i32>) -> impl Iterator<Item = Array1<i32>> {
    let from = from.first().copied().unwrap_or_default();
    (0..=from).rev().map(|number| array![number])
}

pytriton::python!();
