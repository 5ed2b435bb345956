use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(#[input(example = vec![1, 2])] x: ArrayView2<u8>) -> Array2<u8> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(#[input(example = [1, 2])] x: ArrayView2<u8>) -> Array2<u8> {
