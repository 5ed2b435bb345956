use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array2<f32>,
}

#[model(name = "m")]
#[input(name = "y", datatype = FP32, shape = [-1])]
fn f(requests: &[Request], _s: S) -> Vec<Array2<f32>> {
    todo!()
}

fn main() {}

//~ 10: fn f(requests: &[Request]) -> Vec<Array2<f32>> {
//~ 11:     requests[0].array::<f32>("y");
//~ 11:     todo!()
