use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(_requests: &[Request]) -> impl Iterator<Item = Array2<f32>> {
    std::iter::empty()
}

fn main() {}

//~ 5: fn f(_requests: &[Request], responses: Vec<Responses<Array2<f32>>>) {
//~ 6:     drop(responses)
