use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S<'a> {
    x: Ragged<'a, f32>,
}

#[model(name = "m")]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 9: #[batch]
//~ 9: fn f(_s: S) -> Array2<f32> {
