use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_sequence: &Sequence, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", sequence_batching = direct)]
