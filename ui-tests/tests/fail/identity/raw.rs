use pytriton::prelude::*;

#[pytriton::model(name = "Who")]
#[input(name = "y", datatype = FP32, shape = [1])]
fn who(_requests: &[Request], _identity: &Identity) -> Vec<Array2<f32>> {
    Vec::new()
}

fn main() {}
//~ 5: fn who(_requests: &[Request]) -> Vec<Array2<f32>> {
