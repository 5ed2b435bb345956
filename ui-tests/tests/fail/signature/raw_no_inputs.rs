use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
    Vec::new()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
//~ 3: #[input(name = "INPUT_1", datatype = FP32, shape = [-1])]
