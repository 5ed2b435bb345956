use pytriton::prelude::*;

#[derive(Outputs)]
struct S {
    y: Array1<f32>,
}

#[model(name = "m")]
fn f(_x: Array2<f32>) -> S {
    todo!()
}

fn main() {}

//~ 5:     y: Array2<f32>,
