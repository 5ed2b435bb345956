use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct S {
    x: Array2<f32>,
    #[output(name = "x")]
    y: Array2<f32>,
}

fn main() {}

//~ 6:     #[output(name = "z")]
