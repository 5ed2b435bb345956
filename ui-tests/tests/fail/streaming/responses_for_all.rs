use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(_requests: &[Request], _responses: &Responses<Array2<f32>>) {}

fn main() {}

//~ 5: fn f(_requests: &[Request], _responses: Vec<Responses<Array2<f32>>>) {}
