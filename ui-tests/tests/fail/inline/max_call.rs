use pytriton::prelude::*;

#[pytriton::model(name = "m", inline = true, max_call_microseconds = 5000)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", max_call_microseconds = 5000)]
