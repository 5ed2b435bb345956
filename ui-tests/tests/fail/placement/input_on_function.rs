use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[input(name = "a")]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4:
//~ 5: fn f(#[input(name = "INPUT_1")] x: ArrayView2<f32>) -> Array2<f32> {
