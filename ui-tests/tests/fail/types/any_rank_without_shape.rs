use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: Array2<f32>, _y: ArrayViewD<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(x: Array2<f32>, #[input(shape = [-1])] _y: ArrayViewD<f32>) -> Array2<f32> {
