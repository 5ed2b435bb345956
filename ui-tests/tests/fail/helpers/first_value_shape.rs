use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
fn f(x: ArrayView2<f32>, #[first_value] #[input(shape = [2])] y: f32) -> Array2<f32> {
    &x * y
}

fn main() {}

//~ 5: fn f(x: ArrayView2<f32>, #[first_value] #[input(shape = [1])] y: f32) -> Array2<f32> {
