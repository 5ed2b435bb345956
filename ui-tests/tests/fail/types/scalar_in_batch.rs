use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
fn f(x: Array2<f32>, _y: f32) -> Array2<f32> {
    x
}

fn main() {}
