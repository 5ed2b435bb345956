use pytriton::prelude::*;

#[pytriton::model(name = "Raw", client = Raw)]
#[input(name = "x", datatype = FP32, shape = [1])]
fn raw(requests: &[Request]) -> Vec<Array2<f32>> {
    requests.iter().map(|_| Array2::zeros((1, 1))).collect()
}

fn main() {}
//~ 3: #[pytriton::model(name = "Raw")]
