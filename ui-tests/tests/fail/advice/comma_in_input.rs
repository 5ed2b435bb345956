use pytriton::prelude::*;

#[model(name = "m")]
fn f(#[input(name = "a" shape = [3])] x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(#[input(name = "a", shape = [3])] x: Array2<f32>) -> Array2<f32> {
