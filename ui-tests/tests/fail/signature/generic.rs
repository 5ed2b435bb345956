use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f<T>(x: Array2<T>) -> Array2<T> {
    x
}

fn main() {}
