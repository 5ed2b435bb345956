use pytriton::prelude::*;

#[pytriton::model(name = "m", batching = false)]
fn f(x: Array2<f32>, _y: Option<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(x: Array2<f32>, _y: ArrayView1<f32>) -> Array2<f32> {
