use pytriton::prelude::*;

#[pytriton::model(name = "m", preserve_ordering = true, default_timeout_microseconds = 100, timeout_action = "delay")]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", preserve_ordering = true, default_timeout_microseconds = 100, timeout_action = "reject")]
