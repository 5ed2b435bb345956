use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct, preserve_ordering = true)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", sequence_batching = oldest, preserve_ordering = true)]
