#![deny(warnings)]
// Every place of an error: the own type determines the kind, and others keep their sources.
use std::error::Error as StdError;
use std::fmt;

use futures_util::Stream;
use futures_util::stream::iter;
use pytriton::Error;
use pytriton::error::IntoError;
use pytriton::prelude::*;
use pytriton_runtime::registry::Registration;
use pytriton_ui_tests::{SequenceRequest, infer, infer_sequences, registration, tensor};

/// Implements all traits of errors.
#[derive(Debug, Clone, Copy)]
struct Missing;

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is missing")
    }
}

impl StdError for Missing {}

impl IntoError for Missing {
    fn into_error(self) -> Error {
        Error::not_found(self)
    }
}

/// Borrows from an argument, and has a source.
#[derive(Debug)]
struct Unreadable<'a>(&'a str, fmt::Error);

impl fmt::Display for Unreadable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}", self.0)
    }
}

impl StdError for Unreadable<'_> {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.1)
    }
}

/// Is no standard error, so that `?` can convert it.
struct Converted;

impl From<Converted> for Error {
    fn from(_: Converted) -> Self {
        Self::not_found("it is missing")
    }
}

fn converted(x: Array2<f32>) -> Result<Array2<f32>, Converted> {
    if x.is_empty() { Ok(x) } else { Err(Converted) }
}

#[pytriton::model(name = "ByFrom")]
fn by_from(x: Array2<f32>) -> Result<Array2<f32>, Error> {
    Ok(converted(x)?)
}

type Answer = Result<Array2<f32>, Missing>;

#[pytriton::model(name = "OfACall")]
fn of_a_call(x: Array2<f32>) -> Result<Array2<f32>, Missing> {
    if x.is_empty() { Ok(x) } else { Err(Missing) }
}

#[pytriton::model(name = "OfAnAlias")]
#[batch]
async fn of_an_alias(x: Array2<f32>) -> Answer {
    if x.is_empty() { Ok(x) } else { Err(Missing) }
}

#[pytriton::model(name = "OfABatch")]
#[input(name = "x", datatype = FP32, shape = [1])]
fn of_a_batch(requests: &[Request]) -> Result<Vec<Array2<f32>>, Missing> {
    if requests.is_empty() {
        Ok(Vec::new())
    } else {
        Err(Missing)
    }
}

#[pytriton::model(name = "OfAnEntry")]
#[input(name = "x", datatype = FP32, shape = [1])]
fn of_an_entry(requests: &[Request]) -> Vec<Result<Array2<f32>, Missing>> {
    vec![Err(Missing); requests.len()]
}

#[pytriton::model(name = "OfBoth")]
#[input(name = "x", datatype = FP32, shape = [1])]
fn of_both(requests: &[Request]) -> Result<Vec<Answer>, String> {
    Ok(vec![Err(Missing); requests.len()])
}

#[pytriton::model(name = "OfAnItem")]
fn of_an_item(x: Array2<f32>) -> impl Iterator<Item = Result<Array2<f32>, Missing>> {
    [Err(Missing), Ok(x)].into_iter()
}

#[pytriton::model(name = "OfAStream")]
async fn of_a_stream(x: Array2<f32>) -> Result<impl Stream<Item = Answer>, Missing> {
    if x.is_empty() {
        Ok(iter([Ok(x)]))
    } else {
        Err(Missing)
    }
}

#[pytriton::model(name = "OfText")]
#[openai(completions)]
fn of_text(prompt: String) -> Result<String, Missing> {
    if prompt.is_empty() {
        Ok(prompt)
    } else {
        Err(Missing)
    }
}

#[pytriton::model(name = "Borrowed")]
fn borrowed(x: Array2<f32>, parameters: &Parameters) -> Result<Array2<f32>, Unreadable<'_>> {
    let name = parameters.str("name").unwrap_or("it");
    if x.is_empty() {
        Ok(x)
    } else {
        Err(Unreadable(name, fmt::Error))
    }
}

#[pytriton::model(name = "Boxed")]
fn boxed(x: Array2<f32>) -> Result<Array2<f32>, Box<dyn StdError>> {
    if x.is_empty() {
        Ok(x)
    } else {
        Err(Unreadable("it", fmt::Error))?
    }
}

#[pytriton::model(name = "BoxedAndBorrowed")]
fn boxed_and_borrowed(
    x: Array2<f32>,
    parameters: &Parameters,
) -> Result<Array2<f32>, Box<dyn StdError + '_>> {
    let name = parameters.str("name").unwrap_or("it");
    if x.is_empty() {
        Ok(x)
    } else {
        Err(Unreadable(name, fmt::Error))?
    }
}

#[pytriton::model(name = "SharedAndBorrowed")]
fn shared_and_borrowed(
    x: Array2<f32>,
    parameters: &Parameters,
) -> Result<Array2<f32>, Box<dyn StdError + Send + Sync + '_>> {
    let name = parameters.str("name").unwrap_or("it");
    if x.is_empty() {
        Ok(x)
    } else {
        Err(Unreadable(name, fmt::Error))?
    }
}

struct Sums;
struct Loaded;

#[pytriton::model(name = "OfASequence")]
impl Loaded {
    #[load]
    fn load() -> Result<Self, Missing> {
        if cfg!(windows) {
            Err(Missing)
        } else {
            Ok(Self)
        }
    }

    #[sequence]
    fn start(&self) -> Result<Sums, Missing> {
        if cfg!(windows) {
            Ok(Sums)
        } else {
            Err(Missing)
        }
    }

    #[infer]
    fn infer(&self, #[sequence] _sums: &mut Sums, x: Array2<f32>) -> Array2<f32> {
        x
    }
}

struct NotLoaded;

#[pytriton::model(name = "OfALoad")]
impl NotLoaded {
    #[load]
    fn load() -> Result<Self, Unreadable<'static>> {
        Err(Unreadable("it", fmt::Error))
    }

    #[infer]
    fn infer(&self, x: Array2<f32>) -> Array2<f32> {
        x
    }
}

pub(crate) fn main() {
    let request = [("x", tensor::<f32>(&[1, 1], [1.0]))];
    for name in [
        "OfACall",
        "OfAnAlias",
        "OfABatch",
        "OfAnEntry",
        "OfBoth",
        "OfAnItem",
        "OfAStream",
        "ByFrom",
    ] {
        let error = Err(format!("model '{name}': it is missing"));
        assert_eq!(infer(name, &[&request]), [error]);
    }
    let text = [("prompt", tensor::<String>(&[1], ["a".to_owned()]))];
    let error = Err("model 'OfText': it is missing".to_owned());
    assert_eq!(infer("OfText", &[&text]), [error]);
    let sequence: SequenceRequest<'_> = ("a", "start", request.to_vec());
    let error = Err("model 'OfASequence': it is missing".to_owned());
    assert_eq!(infer_sequences("OfASequence", &[vec![sequence]]), [[error]]);

    const CHAIN: &str = "cannot read it: an error occurred when formatting an argument";
    for name in ["Borrowed", "Boxed"] {
        let error = Err(format!("model '{name}' failed: {CHAIN}"));
        assert_eq!(infer(name, &[&request]), [error]);
    }
    let Registration { spec, load, .. } = registration("OfALoad");
    let Err(error) = load(&Context::new(spec, 0)) else {
        panic!("it is loaded")
    };
    assert!(error.to_string().ends_with(CHAIN), "{error}");
}
