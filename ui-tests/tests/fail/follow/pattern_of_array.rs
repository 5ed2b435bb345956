use pytriton::prelude::*;

struct Whole {
    _x: u8,
}

#[model(name = "m")]
fn f(Whole { _x }: Whole) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 8: fn f(_x: ArrayView2<f32>) -> Array2<f32> {
