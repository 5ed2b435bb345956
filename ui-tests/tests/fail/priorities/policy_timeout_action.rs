use pytriton::prelude::*;

#[pytriton::model(name = "m", priority_levels = 3, priority_queue_policy(level = 1, timeout_action = "drop"))]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", priority_levels = 3, priority_queue_policy(level = 1, default_timeout_microseconds = 1000, timeout_action = "delay"))]
