use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_size = 0)]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", max_batch_size = 1)]
