use pytriton::prelude::*;

#[derive(Outputs)]
struct Both {
    y: Array2<f32>,
}

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(_requests: &[Request]) -> Both {
    todo!()
}

fn main() {}

//~ 10: fn f(_requests: &[Request]) -> Vec<Both> {
