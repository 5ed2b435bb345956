use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [1])]
fn f(_requests: &[Request]) -> Vec<String> {
    todo!()
}

fn main() {}

//~ 5: fn f(_requests: &[Request]) -> Vec<Array2<String>> {
