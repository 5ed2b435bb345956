use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
pub struct S {
    x: Array2<f32>,
}

#[model(name = "m", client = M)]
pub fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 8: #[model(name = "m")]
