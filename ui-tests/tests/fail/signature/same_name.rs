use pytriton::prelude::*;

#[model(name = "m")]
fn f(x: Array2<f32>, x: Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}
