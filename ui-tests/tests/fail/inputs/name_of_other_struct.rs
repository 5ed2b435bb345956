use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array2<f32>,
}

#[derive(pytriton::Inputs)]
struct T {
    x: Array2<f32>,
}

#[model(name = "m")]
fn f(_s: S, _t: T, _z: ArrayView2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 9: struct T {
//~ 9:     #[input(name = "y")]
