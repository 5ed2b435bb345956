use pytriton::prelude::*;

#[model(name = "m")]
#[batch]
fn f(_x: Array2<f32>, #[first_value] _p: &Parameters) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5: fn f(_x: Array2<f32>, _p: &Parameters) -> Array2<f32> {
