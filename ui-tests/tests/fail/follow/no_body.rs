use pytriton::prelude::*;

#[model(name = "m")]
#[batch]
fn f(#[first_value] _x: f32) -> Array2<f32>;

fn main() {}
