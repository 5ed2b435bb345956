use pytriton::prelude::*;

#[pytriton::model(name = "m", batching = false)]
fn f(x: Array2<f32>, _y: pytriton::ndarray::ArrayView0<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(x: Array2<f32>, _y: Array1<f32>) -> Array2<f32> {
