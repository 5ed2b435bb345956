use pytriton::prelude::*;

#[derive(Outputs)]
#[output(shape = [3], nonsense = 4)]
struct S {
    y: Array2<f32>,
}

fn main() {}
