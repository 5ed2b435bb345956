use pytriton::prelude::*;

#[pytriton::model(name = "m", response_cache = true)]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
    todo!()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
