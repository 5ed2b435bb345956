use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(#[batch] x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
//~ 3: #[batch]
//~ 4: fn f(x: ArrayView2<f32>) -> Array2<f32> {
