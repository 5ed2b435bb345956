use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(#[input(shape = [])] x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(#[input(shape = [-1])] x: ArrayView2<f32>) -> Array2<f32> {
