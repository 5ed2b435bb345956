use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_: ArrayView2<f32>, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(#[input(name = "x")] _: ArrayView2<f32>, y: Array2<f32>) -> Array2<f32> {
//~ 5:     y
