use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(#[input(example = [1, 300])] x: ArrayView2<u8>) -> Array2<u8> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(#[input(example = [1, 255])] x: ArrayView2<u8>) -> Array2<u8> {
