use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_x: Array2<f32>) -> Option<f32> {
    todo!()
}

fn main() {}

//~ 4: fn f(_x: Array2<f32>) -> Option<Array2<f32>> {
