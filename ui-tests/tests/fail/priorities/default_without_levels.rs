use pytriton::prelude::*;

#[pytriton::model(name = "m", default_priority_level = 2)]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}
