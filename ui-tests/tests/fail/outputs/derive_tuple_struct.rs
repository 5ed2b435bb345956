use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct S(Array2<f32>);

fn main() {}
