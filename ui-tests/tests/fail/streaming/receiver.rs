use std::sync::mpsc::{Receiver, channel};

use pytriton::prelude::*;

#[model(name = "m", batching = false)]
fn f(x: Array2<f32>) -> Receiver<Array2<f32>> {
    let (sender, receiver) = channel();
    drop(sender.send(x));
    receiver
}

fn main() {}

//~ 6: fn f(x: Array2<f32>) -> impl Iterator<Item = Array2<f32>> {
//~ 9: receiver.into_iter()
