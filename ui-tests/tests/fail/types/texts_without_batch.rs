use pytriton::prelude::*;

#[pytriton::model(name = "m", batching = false)]
fn f(texts: Vec<String>) -> Array1<f32> {
    Array1::zeros(texts.len())
}

fn main() {}

//~ 4: fn f(texts: ArrayView1<String>) -> Array1<f32> {
