//! Optional inputs: a missing one is filled with a value, the other is passed to the function as an
//! `Option`.

use pytriton::prelude::*;

/// Scales each row, and adds the offset if the request has one.
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
