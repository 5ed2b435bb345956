use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f((x, _y): (Array2<f32>, Array2<f32>)) -> Array2<f32> {
    x
}

fn main() {}
