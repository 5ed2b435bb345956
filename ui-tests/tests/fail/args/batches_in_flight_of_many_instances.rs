use pytriton::prelude::*;

#[pytriton::model(name = "m", instances = 100, batches_in_flight = 11)]
async fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}
