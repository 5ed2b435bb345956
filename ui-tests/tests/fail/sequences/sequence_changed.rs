use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct)]
fn f(_sequence: &mut Sequence, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(_sequence: &Sequence, x: Array2<f32>) -> Array2<f32> {
