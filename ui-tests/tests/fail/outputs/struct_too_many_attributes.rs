use pytriton::prelude::*;

#[derive(Outputs)]
struct S {
    y: Array2<f32>,
}

#[model(name = "m")]
#[output(name = "a")]
#[output(name = "b")]
fn f(_x: Array2<f32>) -> S {
    todo!()
}

fn main() {}

//~ 10:
