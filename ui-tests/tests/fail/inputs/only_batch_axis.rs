use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S<'a> {
    x: Array2<f32>,
    y: ArrayView1<'a, f32>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 6:     y: ArrayView2<'a, f32>,
//~ 6:     z: Array2<f32>,
