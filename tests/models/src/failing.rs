//! Functions that fail in different ways if the input has a negative value.

use std::fmt;
use std::num::ParseFloatError;
use std::panic::panic_any;
use std::time::Duration;

use pytriton::decorators::{Batch, Step};
use pytriton::prelude::*;
use pytriton::{Error, ErrorKind};

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

/// Returns an error of the kind with the given index in [`KINDS`].
#[pytriton::model(name = "Refuse", batching = false)]
fn refuse(kind: ArrayView1<u8>) -> Result<Array1<f32>, Error> {
    Err(error_of(kind[0]))
}

/// Like `Refuse`, after one response.
#[pytriton::model(name = "RefuseLater", batching = false)]
fn refuse_later(kind: ArrayView1<u8>) -> impl Iterator<Item = Result<Array1<f32>, Error>> {
    [Ok(Array1::zeros(1)), Err(error_of(kind[0]))].into_iter()
}

const KINDS: [ErrorKind; 7] = [
    ErrorKind::InvalidArgument,
    ErrorKind::NotFound,
    ErrorKind::ResourceExhausted,
    ErrorKind::Unavailable,
    ErrorKind::DeadlineExceeded,
    ErrorKind::Unimplemented,
    ErrorKind::Internal,
];

/// Returns an error with a source.
fn error_of(kind: u8) -> Error {
    let error = match "x".parse::<f32>() {
        Ok(_) => Error::internal("unreachable"),
        Err(source) => Error::new(KINDS[usize::from(kind)], Refused(source)),
    };
    error.retry_after(Duration::from_millis(1500))
}

/// An error whose message does not contain its source.
#[derive(Debug)]
struct Refused(ParseFloatError);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Refuses values below zero before the function is called.
#[derive(Debug)]
struct Present;

impl Step for Present {
    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        let x = batch.array::<f32>("INPUT_1")?;
        match x.iter().flatten().find(|value| **value < 0.0) {
            Some(value) => Err(Error::not_found(format!("{value} is unknown"))),
            None => Ok(()),
        }
    }
}

#[pytriton::model(
    name = "Find",
    max_batch_size = 16,
    max_queue_delay_microseconds = 100_000
)]
#[batch]
#[step(Present)]
fn find(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Result<Array2<f32>, Error> {
    match input.iter().any(|value| *value > 100.0) {
        true => Err(Error::invalid_argument("a value is above 100")),
        false => Ok(input.to_owned()),
    }
}

/// Returns a fatal error.
#[pytriton::model(name = "Fragile", max_batch_size = 16)]
#[batch]
fn fragile(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Result<Array2<f32>, Error> {
    match input.iter().find(|value| **value < 0.0) {
        Some(value) => Err(Error::unrecoverable(format!("{value} is below zero"))),
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
