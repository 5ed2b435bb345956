use pytriton::prelude::*;

#[triton::model(name = "m")]
#[batch]
fn f(x: Array2<f32>, #[first_value] scale: f32) -> Array2<f32> {
    x * scale
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
