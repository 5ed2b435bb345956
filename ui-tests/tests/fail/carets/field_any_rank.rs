use pytriton::prelude::*;

#[derive(Outputs)]
struct Both {
    a: Array2<f32>,
    b: ArrayD<f32>,
}

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Both {
    todo!()
}

fn main() {}

//~ 6:     #[output(shape = [-1])]
//~ 6:     b: ArrayD<f32>,
