use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_requests: &[Request]) -> Vec<Array2<f32>> {
    Vec::new()
}

fn main() {}
