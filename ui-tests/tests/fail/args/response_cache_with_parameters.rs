use pytriton::prelude::*;

#[pytriton::model(name = "m", response_cache = true)]
fn f(x: ArrayView2<f32>, _parameters: &Parameters) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(x: ArrayView2<f32>) -> Array2<f32> {
