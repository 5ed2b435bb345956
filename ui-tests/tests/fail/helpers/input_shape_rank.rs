use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(#[input(shape = [-1, 3])] x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(#[input(shape = [3])] x: ArrayView2<f32>) -> Array2<f32> {
