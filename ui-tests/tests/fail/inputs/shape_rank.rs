use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    #[input(shape = [2, 2, 2])]
    x: Array2<f32>,
    #[input(shape = [1, 2])]
    y: Array2<f32>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:     #[input(shape = [2])]
//~ 7:     #[input(shape = [2])]
