use pytriton::prelude::*;

#[derive(Outputs)]
struct Both {
    a: Array2<f32>,
    b: pytriton::ndarray::Array0<f32>,
}

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Both {
    todo!()
}

fn main() {}

//~ 6:     b: Array2<f32>,
