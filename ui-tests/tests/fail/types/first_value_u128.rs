use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
fn f(x: Array2<f32>, #[first_value] _y: u128) -> Array2<f32> {
    x
}

fn main() {}

//~ 5: fn f(x: Array2<f32>, #[first_value] _y: u64) -> Array2<f32> {
