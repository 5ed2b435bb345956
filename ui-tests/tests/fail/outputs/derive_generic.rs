use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct S<T> {
    y: Array2<T>,
}

fn main() {}
