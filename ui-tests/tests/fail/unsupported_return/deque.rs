use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(_requests: &[Request]) -> std::collections::VecDeque<Array2<f32>> {
    todo!()
}

fn main() {}

//~ 5: fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
