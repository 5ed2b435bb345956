use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array2<f32>,
}

#[model(name = "m")]
fn f(#[input(name = "y")] _s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:     #[input(name = "y")] x: Array2<f32>,
//~ 9: fn f(_s: S) -> Array2<f32> {
