use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct S(Array2<f32>);

fn main() {}

//~ 4: struct S { y: Array2<f32> }
