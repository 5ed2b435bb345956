use pytriton::prelude::*;

#[pytriton::model(name = "m", batching = false)]
#[warmup(name = "two", batch_size = 2, inputs(x = random))]
fn f(#[input(shape = [4])] x: ArrayView1<f32>) -> Array1<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: #[warmup(name = "two", count = 2, inputs(x = random))]
