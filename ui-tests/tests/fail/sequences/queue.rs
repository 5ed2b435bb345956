use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct, max_queue_size = 4, default_timeout_microseconds = 10, timeout_action = "delay", allow_timeout_override = true)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", sequence_batching = direct)]
