use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct)]
fn f(_one: &Sequence, _other: &Sequence, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(_one: &Sequence, x: Array2<f32>) -> Array2<f32> {
