use pytriton::prelude::*;

struct Pixel;

#[model(nam = "m")]
fn f(_x: Array2<Pixel>, _y: Array1<f32>) -> Array2<Pixel> {
    todo!()
}

fn main() {}

//~ 5: #[model(name = "m")]
//~ 6: fn f(_x: Array2<u8>, _y: Array2<f32>) -> Array2<u8> {
