use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array2<f32>,
    #[first_value]
    y: f32,
}

#[model(name = "m")]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 10: #[model(name = "m")]
//~ 10: #[batch]
