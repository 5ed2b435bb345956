use pytriton::prelude::*;

struct Weights(f32);

#[pytriton::model(name = "Scale")]
#[batch]
fn scale(x: ArrayView2<f32>, weights: &Weights) -> Array2<f32> {
    &x * weights.0
}

fn main() {}
//~ 7: fn scale(x: ArrayView2<f32>, weights: &std::sync::Arc<Weights>) -> Array2<f32> {
