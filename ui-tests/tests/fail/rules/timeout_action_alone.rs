use pytriton::prelude::*;

#[model(name = "m", timeout_action = "delay")]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[model(name = "m", default_timeout_microseconds = 1000, timeout_action = "delay")]
