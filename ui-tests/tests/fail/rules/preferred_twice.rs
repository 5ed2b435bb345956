use pytriton::prelude::*;

#[model(name = "m", preferred_batch_size = [4, 4])]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[model(name = "m", preferred_batch_size = [4])]
