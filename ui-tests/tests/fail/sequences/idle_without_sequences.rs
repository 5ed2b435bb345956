use pytriton::prelude::*;

#[pytriton::model(name = "m", max_sequence_idle_microseconds = 5_000_000)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", sequence_batching = direct, max_sequence_idle_microseconds = 5_000_000)]
