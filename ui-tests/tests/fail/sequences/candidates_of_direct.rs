use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct, max_candidate_sequences = 8)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", sequence_batching = oldest, max_candidate_sequences = 8)]
