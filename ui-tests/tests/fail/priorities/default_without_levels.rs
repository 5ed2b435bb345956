use pytriton::prelude::*;

#[pytriton::model(name = "m", default_priority_level = 2)]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", priority_levels = 2, default_priority_level = 2)]
