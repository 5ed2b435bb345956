use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: ArrayView2<f32>, _cancellation: Cancellation) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(x: ArrayView2<f32>, _cancellation: &Cancellation) -> Array2<f32> {
