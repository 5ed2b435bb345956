use std::sync::LazyLock;

use pytriton::prelude::*;

static WEIGHTS: LazyLock<Array2<f32>> =
    LazyLock::new(|| Array::from_shape_fn((20, 30), |(i, j)| (i + j) as f32 / 16.0));

#[pytriton::model(name = "Linear", max_batch_size = 16)]
#[output(shape = [30])]
#[batch]
fn linear(#[input(shape = [20])] x: ArrayView2<f32>, #[first_value] scale: f32) -> Array2<f32> {
    x.dot(&*WEIGHTS) * scale
}

pytriton::main!();
