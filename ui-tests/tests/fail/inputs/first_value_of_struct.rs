use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array1<f32>,
}

#[model(name = "m")]
#[batch]
fn f(#[first_value] _s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:     x: Array2<f32>,
//~ 5:     #[first_value] y: f32,
//~ 5:     #[first_value] z: Array1<f32>,
//~ 10: fn f(_s: S) -> Array2<f32> {
