use pytriton::prelude::*;

#[derive(Default)]
struct Sums;

#[pytriton::model(name = "m", priority_levels = 2, response_cache = true, batches_in_flight = 2, max_candidate_sequences = 4)]
fn f(#[sequence] _sums: &mut Sums, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 6: #[pytriton::model(name = "m", sequence_batching = oldest, max_candidate_sequences = 4)]
