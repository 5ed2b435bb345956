use pytriton::prelude::*;

#[first_value]
#[model(name = "m")]
fn f(_x: Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 3:
//~ 4: #[model(name = "m")]
//~ 4: #[batch]
//~ 5: fn f(_x: Array2<f32>, #[first_value] _scale: f32) -> Array2<f32> {
