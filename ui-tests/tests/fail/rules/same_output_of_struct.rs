use pytriton::prelude::*;

#[derive(Outputs)]
struct Both {
    a: Array2<f32>,
    b: Array2<f32>,
}

#[model(name = "m")]
#[output(shape = [3])]
#[output(name = "a")]
fn f(_x: ArrayView2<f32>) -> Both {
    todo!()
}

fn main() {}

//~ 10: #[output(name = "b", shape = [3])]
