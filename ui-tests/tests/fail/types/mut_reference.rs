use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: Array2<f32>, _y: &mut Parameters) -> Array2<f32> {
    x
}

fn main() {}

//~ 4: fn f(x: Array2<f32>, _y: &Parameters) -> Array2<f32> {
