//! Inputs that a request may leave out: one has a value then, of the other the function knows that it is not there.

use pytriton::prelude::*;

/// Scales each row, and moves it where a request says how far.
#[pytriton::model(name = "Transform", max_batch_size = 32)]
#[fill_optionals(scale = 1.0)]
#[batch]
fn transform(
    x: ArrayView2<f32>,
    scale: ArrayView2<f32>,
    offset: Option<ArrayView2<f32>>,
) -> Array2<f32> {
    let scaled = &x * &scale;
    match offset {
        Some(offset) => scaled + offset,
        None => scaled,
    }
}

pytriton::main!();
