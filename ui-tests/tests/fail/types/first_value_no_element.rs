use pytriton::prelude::*;

struct Weight;

#[pytriton::model(name = "m")]
#[batch]
fn f(x: Array2<f32>, #[first_value] _y: Weight) -> Array2<f32> {
    x
}

fn main() {}

//~ 7: fn f(x: Array2<f32>, #[first_value] _y: f32) -> Array2<f32> {
