use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: ArrayView2<f32>, #[first_value] y: f32) -> Array2<f32> {
    &x * y
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
//~ 3: #[batch]
