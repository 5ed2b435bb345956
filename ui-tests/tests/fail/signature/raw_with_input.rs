use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[input(name = "y", datatype = FP32, shape = [1])]
fn f(_requests: &[Request], _x: ArrayView2<f32>) -> Vec<Array2<f32>> {
    Vec::new()
}

fn main() {}

//~ 5: fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
