use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    #[input(names = "y")]
    x: Array2<f32>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:     #[input(name = "y")]
