use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_x: Array2<f32>) -> Option<Result<Array2<f32>, String>> {
    todo!()
}

fn main() {}

//~ 4: fn f(_x: Array2<f32>) -> Result<Option<Array2<f32>>, String> {
