use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
#[pad_batch]
fn f(x: ArrayView2<f32>) -> impl Iterator<Item = Array2<f32>> {
    std::iter::once(x.to_owned())
}

fn main() {}

//~ 5: 
