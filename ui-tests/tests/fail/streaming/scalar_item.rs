use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_x: ArrayView2<f32>) -> impl Iterator<Item = f32> {
    std::iter::empty()
}

fn main() {}

//~ 4: fn f(_x: ArrayView2<f32>) -> impl Iterator<Item = Array2<f32>> {
