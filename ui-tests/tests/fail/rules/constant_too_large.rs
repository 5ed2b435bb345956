use pytriton::prelude::*;

const MAX: u32 = 3_000_000_000;

#[model(name = "m", max_batch_size = MAX)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: const MAX: u32 = 2147483647;
