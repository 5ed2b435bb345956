use pytriton::prelude::*;

#[model(name = "m", colour = 1, priority_levels = 0, default_priority_level = 4, max_batch_size = 8, preferred_batch_size = [9])]
fn f(_x: ArrayView2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 3: #[model(name = "m", priority_levels = 4, default_priority_level = 4, max_batch_size = 8, preferred_batch_size = [8])]
