use pytriton::prelude::*;

#[pytriton::model(name = "m", inline = true)]
fn f(x: Array2<f32>, _cancellation: &Cancellation) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
