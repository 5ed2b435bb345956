use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(__x: ArrayView2<f32>) -> Array2<f32> {
    __x.to_owned()
}

fn main() {}
