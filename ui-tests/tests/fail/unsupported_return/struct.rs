use pytriton::prelude::*;

struct Wrong;

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(_requests: &[Request]) -> Wrong {
    todo!()
}

fn main() {}

//~ 7: fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
