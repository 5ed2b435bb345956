use pytriton::prelude::*;

#[pytriton::model(name = "Identity")]
fn identity(x: Array2<f32>) -> Array2<f32> {
    x
}

pytriton::backend!();

fn main() {}
