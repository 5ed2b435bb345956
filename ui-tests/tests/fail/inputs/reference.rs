use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S<'a> {
    x: Array2<f32>,
    c: &'a Context,
    y: &'a Array2<f32>,
    z: &'a mut f32,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 6:
//~ 7:     y: ArrayView2<'a, f32>,
//~ 8:
//~ 13: fn f(_s: S, c: &Context, #[sequence] z: &mut f32) -> Array2<f32> {
//~ 12:
