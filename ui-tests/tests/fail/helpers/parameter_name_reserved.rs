use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(__x: ArrayView2<f32>) -> Array2<f32> {
    __x.to_owned()
}

fn main() {}

//~ 4: fn f(#[input(name = "INPUT_1")] __x: ArrayView2<f32>) -> Array2<f32> {
