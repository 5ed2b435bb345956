use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: Array2<f32>, _y: &Request) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
//~ 3: #[input(name = "x", datatype = FP32, shape = [-1])]
//~ 4: fn f(_y: &[Request]) -> Vec<Array2<f32>> {
//~ 5:     Vec::new()
