use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_x: ArrayView2<f32>, _one: &Responses<Array2<f32>>, _two: &Responses<Array2<f32>>) {}

fn main() {}

//~ 4: fn f(_x: ArrayView2<f32>, _one: &Responses<Array2<f32>>) {}
