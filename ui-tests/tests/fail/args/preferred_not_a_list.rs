use pytriton::prelude::*;

#[pytriton::model(name = "m", preferred_batch_size = 4)]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", preferred_batch_size = [4, 8], max_batch_size = 8)]
