use pytriton::prelude::*;

#[pytriton::model(name = "m", preserve_ordering = true, priority_levels = 1, priority_queue_policy(level = 1, default_timeout_microseconds = 100, timeout_action = "delay"))]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", preserve_ordering = true, priority_levels = 1, priority_queue_policy(level = 1, default_timeout_microseconds = 100, timeout_action = "reject"))]
