use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct Both {
    a: Array2<f32>,
    b: Array2<f32>,
}

#[pytriton::model(name = "m")]
fn f(_x: Array2<f32>) -> Option<Both> {
    todo!()
}

fn main() {}

//~ 10: fn f(_x: Array2<f32>) -> Result<Both, String> {
