use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
fn f(x: Array2<f32>, y) -> Array2<f32> {
    x
}

fn main() {}

//~ 5: fn f(x: Array2<f32>, _y: Array2<f32>) -> Array2<f32> {
