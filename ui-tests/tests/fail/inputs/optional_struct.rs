use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array2<f32>,
}

#[model(name = "m")]
fn f(_s: Option<S>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:     x: Option<Array2<f32>>,
//~ 9: fn f(_s: S, _y: ArrayView2<f32>) -> Array2<f32> {
