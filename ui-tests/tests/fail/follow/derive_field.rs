use pytriton::prelude::*;

#[derive(Outputs)]
struct Both {
    a: Array2<usize>,
    b: Option<Option<Array2<f32>>>,
}

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Both {
    todo!()
}

fn main() {}

//~ 5:     a: Array2<u64>,
//~ 6:     b: Option<Array2<f32>>,
