use pytriton::prelude::*;

struct Strange;

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(_requests: &[Request]) -> Result<Strange, String> {
    todo!()
}

fn main() {}

//~ 7: fn f(_requests: &[Request]) -> Result<Vec<Array2<f32>>, String> {
