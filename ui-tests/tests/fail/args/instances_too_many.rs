use pytriton::prelude::*;

#[pytriton::model(name = "m", instances = 3_000_000_000)]
fn f(_x: Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", instances = 2147483647)]
