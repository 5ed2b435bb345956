use pytriton::prelude::*;

#[model(name = "m" max_batch_size = 16)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[model(name = "m", max_batch_size = 16)]
