use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f<const N: usize>(x: Array2<f32>) -> Array2<f32> {
    x * N as f32
}

fn main() {}

//~ 4: fn f(x: Array2<f32>) -> Array2<f32> {
//~ 5:     x
