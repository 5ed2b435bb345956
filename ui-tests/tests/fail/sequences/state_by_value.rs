use pytriton::prelude::*;

#[derive(Default)]
struct Sums;

#[pytriton::model(name = "m")]
fn f(#[sequence] _sums: Sums, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 7: fn f(#[sequence] _sums: &mut Sums, x: Array2<f32>) -> Array2<f32> {
