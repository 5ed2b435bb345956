use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: Array2<f32>, #[cfg(all())] _y: ArrayView2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[cfg(all())]
//~ 3: #[pytriton::model(name = "m")]
//~ 4: fn f(x: Array2<f32>, _y: ArrayView2<f32>) -> Array2<f32> {
