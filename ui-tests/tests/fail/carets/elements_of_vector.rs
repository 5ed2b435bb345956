use pytriton::prelude::*;

struct Reply;

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(_requests: &[Request]) -> Vec<Result<(Array2<f32>, Reply), String>> {
    todo!()
}

fn main() {}

//~ 7: fn f(_requests: &[Request]) -> Vec<Result<(Array2<f32>, Array2<f32>), String>> {
