use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = oldest, priority_levels = 2, default_priority_level = 1, priority_queue_policy(level = 1, max_queue_size = 4))]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", sequence_batching = oldest)]
