use pytriton::prelude::*;

#[pytriton::model(name = "m", allow_timeout_override = true)]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", default_timeout_microseconds = 1000, allow_timeout_override = true)]
