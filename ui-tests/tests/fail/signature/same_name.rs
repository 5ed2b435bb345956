use pytriton::prelude::*;

#[model(name = "m")]
fn f(x: Array2<f32>, x: Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: fn f(_x: Array2<f32>, _y: Array2<f32>) -> Array2<f32> {
