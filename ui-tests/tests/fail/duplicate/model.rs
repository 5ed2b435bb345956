use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[pytriton::model(name = "n")]
#[batch]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4:
