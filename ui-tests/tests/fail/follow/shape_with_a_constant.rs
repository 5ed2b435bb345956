use pytriton::prelude::*;

const WIDTH: i64 = 4;

#[model(name = "m")]
fn f(#[input(shape = [WIDTH, 3])] _x: ArrayView2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 6: fn f(#[input(shape = [WIDTH])] _x: ArrayView2<f32>) -> Array2<f32> {
