use pytriton::prelude::*;

#[pytriton::model(name = "m", decoupled = true)]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
//~ 4: fn f(x: ArrayView2<f32>) -> impl Iterator<Item = Array2<f32>> {
//~ 5:     std::iter::once(x.to_owned())
