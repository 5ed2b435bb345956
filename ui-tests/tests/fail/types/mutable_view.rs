use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: Array2<f32>, _y: pytriton::ndarray::ArrayViewMut2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(x: Array2<f32>, _y: pytriton::ndarray::ArrayView2<f32>) -> Array2<f32> {
