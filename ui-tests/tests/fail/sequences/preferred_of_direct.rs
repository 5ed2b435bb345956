use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct, preferred_batch_size = [2])]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", sequence_batching = oldest, preferred_batch_size = [2])]
