use pytriton::prelude::*;

#[model(name = "m", batching = false)]
fn f(x: Array2<f32>) -> Box<dyn Iterator<Item = Array2<f32>> + Send> {
    Box::new(std::iter::once(x))
}

fn main() {}

//~ 4: fn f(x: Array2<f32>) -> impl Iterator<Item = Array2<f32>> {
