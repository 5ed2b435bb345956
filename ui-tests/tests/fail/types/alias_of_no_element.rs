use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: Array2<f32>, _y: ArrayView2<std::time::Duration>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(x: Array2<f32>, _y: ArrayView2<f64>) -> Array2<f32> {
