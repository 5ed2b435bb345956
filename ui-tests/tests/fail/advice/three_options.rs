use pytriton::prelude::*;

#[model(name = "m")]
fn f(x: Array2<f32>, _y: Option<Option<Option<ArrayView2<f32>>>>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(x: Array2<f32>, _y: Option<ArrayView2<f32>>) -> Array2<f32> {
