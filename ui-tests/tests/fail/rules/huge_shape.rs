use pytriton::prelude::*;

#[model(name = "m")]
fn f(#[input(shape = [4294967296, 4294967296, 4294967296])] _x: ArrayView4<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: fn f(#[input(shape = [4, 4, 4])] _x: ArrayView4<f32>) -> Array2<f32> {
