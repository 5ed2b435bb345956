use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: ArrayView2<'static, f32>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: struct S<'a> {
//~ 5:     x: ArrayView2<'a, f32>,
