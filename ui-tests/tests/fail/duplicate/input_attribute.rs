use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(#[input(name = "a")] #[input(name = "b")] x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(#[input(name = "a")] x: ArrayView2<f32>) -> Array2<f32> {
