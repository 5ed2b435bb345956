use pytriton::prelude::*;

struct S {
    x: Array2<f32>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 3: #[derive(pytriton::Inputs)]
//~ 3: struct S {
