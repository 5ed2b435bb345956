use pytriton::prelude::*;

#[first_value]
#[model(name = "m")]
fn f(_x: Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}
