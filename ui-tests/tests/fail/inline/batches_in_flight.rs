use pytriton::prelude::*;

#[pytriton::model(name = "m", inline = true, batches_in_flight = 2)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", batches_in_flight = 2)]
