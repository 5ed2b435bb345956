use pytriton::prelude::*;

#[model(name = "m")]
#[batch]
fn f(x Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5: fn f(_x: Array2<f32>) -> Array2<f32> {
