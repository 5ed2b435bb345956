use std::sync::Arc;

use pytriton::prelude::*;

struct Weights(f32);

#[pytriton::model(name = "Scale")]
#[batch]
fn scale(x: ArrayView2<f32>, #[input(name = "W")] weights: &Arc<Weights>) -> Array2<f32> {
    &x * weights.0
}

fn main() {}
//~ 9: fn scale(x: ArrayView2<f32>, weights: &Arc<Weights>) -> Array2<f32> {
