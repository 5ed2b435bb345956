use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_x: Array2<f32>) -> (Array2<u8>, Array2<u8>, Array2<u8>, Array2<u8>, Array2<u8>, Array2<u8>, Array2<u8>, Array2<u8>, Array2<u8>) {
    todo!()
}

fn main() {}

//~ 3: #[derive(pytriton::Outputs)]
//~ 3: struct Nine {
//~ 3:     a: Array2<u8>,
//~ 3: }
//~ 3:
//~ 3: #[pytriton::model(name = "m")]
//~ 4: fn f(_x: Array2<f32>) -> Nine {
