use pytriton::prelude::*;

#[derive(Outputs)]
struct One {
    a: Array2<f32>,
}

#[derive(Outputs)]
struct Both {
    b: Array2<f32>,
    one: One,
}

fn main() {}

//~ 11:     one: Array2<f32>,
