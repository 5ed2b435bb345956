use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f<T>(x: Array2<T>) -> Array2<T> {
    x
}

fn main() {}

//~ 4: fn f(x: ArrayView2<f32>) -> Array2<f32> {
//~ 5:     x.to_owned()
