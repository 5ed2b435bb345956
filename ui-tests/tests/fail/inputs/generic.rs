use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S<'a, T> {
    x: ArrayView2<'a, T>,
}

#[model(name = "m")]
fn f(_s: S<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: struct S<'a> {
//~ 5:     x: ArrayView2<'a, f32>,
//~ 5:     y: Array2<f32>,
//~ 9: fn f(_s: S) -> Array2<f32> {
