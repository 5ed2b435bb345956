use pytriton::prelude::*;

#[derive(Outputs)]
#[output(shape = [3], nonsense = 4)]
struct S {
    y: Array2<f32>,
}

fn main() {}

//~ 4:
//~ 6:     #[output(shape = [3])]
//~ 6:     y: Array2<f32>,
