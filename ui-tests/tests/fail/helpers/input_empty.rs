use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(#[input] x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(#[input(name = "INPUT_1")] x: ArrayView2<f32>) -> Array2<f32> {
