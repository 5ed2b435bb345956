use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
#[input(name = "x", datatype = FP32, shape = [1])]
fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
    Vec::new()
}

fn main() {}

//~ 4:
