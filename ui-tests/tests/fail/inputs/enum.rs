use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
enum S {
    X(Array2<f32>),
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: struct S {
//~ 5:     x: Array2<f32>,
