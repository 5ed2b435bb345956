use pytriton::prelude::*;

struct Silent;

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Result<(Array2<f32>, Array2<u8>), Silent> {
    todo!()
}

fn main() {}

//~ 6: fn f(_x: Array2<f32>) -> Result<(Array2<f32>, Array2<u8>), String> {
