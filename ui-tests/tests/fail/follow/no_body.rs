use pytriton::prelude::*;

#[model(name = "m")]
#[batch]
fn f(#[first_value] _x: f32) -> Array2<f32>;

fn main() {}

//~ 5: fn f(_y: Array2<f32>, #[first_value] _x: f32) -> Array2<f32> {
//~ 5:     todo!()
//~ 5: }
