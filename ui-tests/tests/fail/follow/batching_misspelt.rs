use pytriton::prelude::*;

#[model(name = "m", bacthing = false)]
fn f(_x: ArrayView1<f32>) -> Array1<f32> {
    todo!()
}

fn main() {}

//~ 3: #[model(name = "m", batching = false)]
