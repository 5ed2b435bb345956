use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
fn f(x: ArrayView2<f32>, #[first_value] #[first_value] y: f32) -> Array2<f32> {
    &x * y
}

fn main() {}

//~ 5: fn f(x: ArrayView2<f32>, #[first_value] y: f32) -> Array2<f32> {
