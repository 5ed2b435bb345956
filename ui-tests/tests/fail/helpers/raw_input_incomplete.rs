use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[input(name = "x")]
fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
    Vec::new()
}

fn main() {}

//~ 4: #[input(name = "x", datatype = FP32, shape = [-1])]
