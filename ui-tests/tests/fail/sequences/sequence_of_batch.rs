use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct)]
#[batch]
fn f(_sequence: &Sequence, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 5: fn f(_sequences: &[&Sequence], x: Array2<f32>) -> Array2<f32> {
