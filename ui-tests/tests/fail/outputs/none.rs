use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_x: Array2<f32>) {}

fn main() {}

//~ 4: fn f(_x: Array2<f32>) -> Array2<f32> { todo!() }
