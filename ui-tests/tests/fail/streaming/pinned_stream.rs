use std::pin::Pin;

use futures_util::Stream;
use pytriton::prelude::*;

#[model(name = "m", batching = false)]
fn f(x: Array2<f32>) -> Pin<Box<dyn Stream<Item = Array2<f32>> + Send>> {
    Box::pin(futures_util::stream::once(async move { x }))
}

fn main() {}

//~ 7: fn f(x: Array2<f32>) -> impl Stream<Item = Array2<f32>> {
