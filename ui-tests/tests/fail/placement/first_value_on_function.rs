use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[first_value]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: #[batch]
//~ 5: fn f(x: ArrayView2<f32>, #[first_value] _scale: f32) -> Array2<f32> {
