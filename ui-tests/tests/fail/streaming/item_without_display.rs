use pytriton::prelude::*;

struct Strange;

#[pytriton::model(name = "m")]
fn f(_x: ArrayView2<f32>) -> impl Iterator<Item = Result<Array2<f32>, Strange>> {
    std::iter::empty()
}

fn main() {}

//~ 6: fn f(_x: ArrayView2<f32>) -> impl Iterator<Item = Result<Array2<f32>, String>> {
