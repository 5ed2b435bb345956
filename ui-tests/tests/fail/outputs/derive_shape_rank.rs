use pytriton::prelude::*;

#[derive(Outputs)]
struct S {
    #[output(shape = [1, 2, 3])]
    y: Array2<f32>,
}

fn main() {}

//~ 5:     #[output(shape = [3])]
