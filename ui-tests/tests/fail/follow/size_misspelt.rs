use pytriton::prelude::*;

#[model(name = "m", max_bach_size = 16, preferred_batch_size = [8])]
fn f(_x: ArrayView2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 3: #[model(name = "m", max_batch_size = 16, preferred_batch_size = [8])]
