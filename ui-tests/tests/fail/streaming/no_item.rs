use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_x: ArrayView2<f32>) -> impl Iterator {
    std::iter::empty::<Array2<f32>>()
}

fn main() {}

//~ 4: fn f(_x: ArrayView2<f32>) -> impl Iterator<Item = Array2<f32>> {
