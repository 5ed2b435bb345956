use pytriton::prelude::*;

#[model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [4294967296, 4294967296, 4294967296])]
fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
    todo!()
}

fn main() {}

//~ 4: #[input(name = "x", datatype = FP32, shape = [4, 4, 4])]
