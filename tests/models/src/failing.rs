//! Functions that fail in different ways if the input has a negative value.

use std::panic::panic_any;

use pytriton::Unrecoverable;
use pytriton::prelude::*;

#[pytriton::model(name = "Fail", max_batch_size = 16)]
#[batch]
fn fail(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Result<Array2<f32>, String> {
    match input.iter().find(|value| **value < 0.0) {
        Some(value) => Err(format!("{value} is below zero")),
        None => Ok(input.to_owned()),
    }
}

#[pytriton::model(name = "Panic", max_batch_size = 16)]
#[batch]
fn panic(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    for value in input {
        assert!(*value >= 0.0, "{value} is below zero");
    }
    input.to_owned()
}

#[pytriton::model(name = "Bomb", max_batch_size = 16)]
#[batch]
fn bomb(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    if input.iter().any(|value| *value < 0.0) {
        panic_any(Bomb);
    }
    input.to_owned()
}

/// A panic payload that panics with another payload when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(Self);
    }
}

/// Fails or panics with the given text.
#[pytriton::model(name = "Echo", batching = false)]
fn echo(
    #[input(name = "how")] how: ArrayView1<bool>,
    #[input(name = "text")] text: ArrayView1<String>,
) -> Result<Array1<f32>, String> {
    let text = text.iter().cloned().collect::<String>();
    match how.iter().any(|panics| *panics) {
        true => panic!("{text}"),
        false => Err(text),
    }
}

/// Returns a fatal error.
#[pytriton::model(name = "Fragile", max_batch_size = 16)]
#[batch]
fn fragile(
    #[input(name = "INPUT_1")] input: ArrayView2<f32>,
) -> Result<Array2<f32>, Unrecoverable> {
    match input.iter().find(|value| **value < 0.0) {
        Some(value) => Err(Unrecoverable::new(format!("{value} is below zero"))),
        None => Ok(input.to_owned()),
    }
}

/// Returns one row more than the batch has.
#[pytriton::model(name = "WrongRows", max_batch_size = 16)]
#[batch]
fn wrong_rows(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    let more = usize::from(input.iter().any(|value| *value < 0.0));
    Array2::zeros((input.nrows() + more, 1))
}

/// Returns three columns instead of the declared two.
#[pytriton::model(name = "WrongShape", max_batch_size = 16)]
#[output(shape = [2])]
#[batch]
fn wrong_shape(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    let more = usize::from(input.iter().any(|value| *value < 0.0));
    Array2::zeros((input.nrows(), 2 + more))
}
