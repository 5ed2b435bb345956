use pytriton::prelude::*;

struct Weight;

#[pytriton::model(name = "m")]
#[batch]
fn f(x: Array2<f32>, #[first_value] _y: Weight) -> Array2<f32> {
    x
}

fn main() {}
