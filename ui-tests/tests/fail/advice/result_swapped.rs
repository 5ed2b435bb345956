use pytriton::prelude::*;

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Result<String, Array2<f32>> {
    todo!()
}

fn main() {}

//~ 4: fn f(_x: Array2<f32>) -> Result<Array2<f32>, String> {
