use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct S<T> {
    y: Array2<T>,
}

fn main() {}

//~ 4: struct S {
//~ 5:     y: Array2<f32>,
