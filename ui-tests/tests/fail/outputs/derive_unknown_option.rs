use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct S {
    #[output(nmae = "y")]
    x: Array2<f32>,
}

fn main() {}

//~ 5:     #[output(name = "y")]
