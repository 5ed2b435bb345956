use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Vec<f32>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:     x: Array2<f32>,
