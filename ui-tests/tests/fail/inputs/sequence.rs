use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array2<f32>,
    #[sequence]
    y: Array2<f32>,
}

#[model(name = "m")]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 6:
//~ 7:
//~ 11: fn f(_s: S, #[sequence] state: &mut f32) -> Array2<f32> {
