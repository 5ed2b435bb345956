use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn f(requests: &[Request], tokens: Ragged<i64>) -> Vec<Array2<i64>> {
    requests.iter().map(|_| Array2::zeros((tokens.len(), 1))).collect()
}

fn main() {}

//~ 5: fn f(requests: &[Request]) -> Vec<Array2<i64>> {
//~ 6:     requests.iter().map(|_| Array2::zeros((1, 1))).collect()
