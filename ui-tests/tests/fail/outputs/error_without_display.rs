use pytriton::prelude::*;

struct Failure;

#[pytriton::model(name = "m")]
fn f(_x: Array2<f32>) -> Result<Array2<f32>, Failure> {
    Err(Failure)
}

fn main() {}

//~ 6: fn f(_x: Array2<f32>) -> Result<Array2<f32>, String> {
//~ 7:     Err(String::new())
