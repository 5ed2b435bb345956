use pytriton::prelude::*;

#[derive(Default)]
struct Sums;

#[pytriton::model(name = "m")]
#[sequence]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 7: 
//~ 8: fn f(#[sequence] _state: &mut Sums, x: Array2<f32>) -> Array2<f32> {
