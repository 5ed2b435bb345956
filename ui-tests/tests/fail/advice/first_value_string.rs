use pytriton::prelude::*;

#[model(name = "m")]
#[batch]
fn f(x: Array2<f32>, #[first_value] _text: &String) -> Array2<f32> {
    x
}

fn main() {}

//~ 5: fn f(x: Array2<f32>, #[first_value] _text: String) -> Array2<f32> {
