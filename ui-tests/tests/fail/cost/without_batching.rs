use pytriton::prelude::*;

#[pytriton::model(name = "m", batching = false, max_batch_cost = 16384)]
#[input(name = "tokens", datatype = INT64, shape = [-1])]
#[cost(tokens)]
fn f(requests: &[Request]) -> Vec<Array2<f32>> {
    requests.iter().map(|_| Array2::zeros((1, 1))).collect()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", max_batch_cost = 16384)]
