use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array2<f32>,
    #[input(name = "x")]
    y: Array2<f32>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 6:     #[input(name = "z")]
