use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_context: &Context) -> Array2<f32> {
    Array2::zeros((1, 1))
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", batching = false)]
