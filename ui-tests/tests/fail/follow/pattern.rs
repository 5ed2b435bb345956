use pytriton::prelude::*;

#[model(name = "m")]
#[batch]
fn f((_x, _y): (Array2<f32>, Array2<f32>), _p: Parameters) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5: fn f(_x: ArrayView2<f32>, _p: &Parameters) -> Array2<f32> {
