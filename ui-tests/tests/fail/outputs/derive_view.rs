use pytriton::prelude::*;

#[derive(Outputs)]
struct S {
    x: ArrayView3<'static, f32>,
    y: &'static Array2<f32>,
    z: Array2,
}

fn main() {}

//~ 5:     x: Array3<f32>,
//~ 6:     y: Array2<f32>,
//~ 7:     z: Array2<f32>,
