use pytriton::prelude::*;

#[model(name = "m", preferred_batch_size = [])]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[model(name = "m")]
