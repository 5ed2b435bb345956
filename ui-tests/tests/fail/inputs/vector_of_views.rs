use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S<'a> {
    x: Vec<ArrayView1<'a, f32>>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:     x: ArrayView2<'a, f32>,
