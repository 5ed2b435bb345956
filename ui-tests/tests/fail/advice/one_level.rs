use pytriton::prelude::*;

#[model(name = "m", priority_levels = 1, default_priority_level = 2)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[model(name = "m", priority_levels = 1, default_priority_level = 1)]
