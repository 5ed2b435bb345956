use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = oldest)]
#[batch]
fn f(x: Array2<f32>, #[first_value] _y: f32) -> Array2<f32> {
    x
}

fn main() {}

//~ 5: fn f(x: Array2<f32>, _y: ArrayView2<f32>) -> Array2<f32> {
