use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
#[input(name = "x")]
#[first_value]
struct S {
    x: Array2<f32>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4:
//~ 5:
//~ 7:     x: Array2<f32>,
//~ 7:     #[first_value] scale: f32,
