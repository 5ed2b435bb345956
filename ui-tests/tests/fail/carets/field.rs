use pytriton::prelude::*;

struct Reply;

#[derive(Outputs)]
struct Both {
    a: Array2<f32>,
    b: Reply,
}

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Both {
    todo!()
}

fn main() {}

//~ 8:     b: Array2<f32>,
