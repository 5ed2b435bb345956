use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_: ArrayView2<f32>, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}
