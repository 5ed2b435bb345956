use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    #[input(name = "_x")]
    y: Array2<f32>,
}

#[model(name = "m")]
fn f(_s: S, _x: ArrayView2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 10: fn f(_s: S, #[input(name = "z")] _x: ArrayView2<f32>) -> Array2<f32> {
