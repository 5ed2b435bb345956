use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: ArrayView2<f32>, #[input(name = "x")] y: ArrayView2<f32>) -> Array2<f32> {
    &x + &y
}

fn main() {}

//~ 4: fn f(x: ArrayView2<f32>, #[input(name = "y")] y: ArrayView2<f32>) -> Array2<f32> {
