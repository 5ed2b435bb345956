//! An error about a user-defined element belongs to the request of the element.

use std::cell::RefCell;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use futures_util::FutureExt;
use ndarray::{Array2, Axis, Ix2};
use parking_lot::Mutex;

use super::*;
use crate::decorators::{Batch, Groups, Step};
use crate::error::Error;
use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::{ModelSpec, TensorDeclaration};
use crate::registry::ModelDeclaration;
use crate::request::{InferInput, InferRequest, Request, RequestedOutput, Response};
use crate::status::Status;
use crate::tensor::{BytesElement, DataType, Element, ElementError, encode_bytes_elements};
use crate::testing::IDENTITY;

/// The limit of the memory of all elements.
const LIMIT_BYTES: usize = 100 << 10;

/// A number whose text has one digit.
#[derive(Debug, Clone, PartialEq)]
struct Digit(u8);

impl BytesElement for Digit {
    fn decode(element: Bytes) -> Result<Self, ElementError> {
        assert_ne!(&element[..], b"!", "an exclamation mark");
        Ok(Self(std::str::from_utf8(&element)?.parse()?))
    }

    fn encode(&self) -> Result<Bytes, ElementError> {
        match self.0 {
            digit @ 0..10 => Ok(digit.to_string().into()),
            13 => panic!("thirteen"),
            number => Err(format!("{number} has several digits").into()),
        }
    }

    fn decoded_bytes(element: &[u8]) -> usize {
        match element {
            b"no size" => panic!("no size"),
            // Two of them fit.
            b"+1" => LIMIT_BYTES * 2 / 5,
            b"+2" => usize::MAX,
            _ => 0,
        }
    }
}

type Outcome = Result<String, (Status, String)>;

/// Returns the first element of the last output, or the error.
fn outcome(result: Result<Response, ModelError>) -> Outcome {
    let response = result.map_err(|error| (error.status(), error.to_string()))?;
    let (_, tensor) = response.outputs.iter().next_back().unwrap();
    Ok(tensor.elements::<String>().unwrap()[0].clone())
}

/// Returns the first element of each row and the sum of each row. Records the rows of each call.
#[derive(Default)]
struct Sums(RefCell<Vec<usize>>);

type SumOutputs = (Array2<Digit>, Array2<Digit>);

impl Instance for Sums {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<Digit, Ix2>(0)?;
            self.0.borrow_mut().push(x.nrows());
            let first = x.map_axis(Axis(1), |row| row[0].clone());
            let sums = x.map_axis(Axis(1), |row| Digit(row.iter().map(|x| x.0).sum()));
            let outputs: SumOutputs = (first.insert_axis(Axis(1)), sums.insert_axis(Axis(1)));
            call.outputs(outputs)
        })
    }
}

/// Returns the model of `Sums`.
fn spec() -> ModelSpec {
    const INPUTS: &[TensorDeclaration] = &[TensorDeclaration {
        datatype: DataType::Bytes,
        ..IDENTITY.inputs[0]
    }];
    let declaration = ModelDeclaration {
        inputs: INPUTS,
        outputs: <SumOutputs as Outputs>::DECLARATIONS,
        ..IDENTITY
    };
    let mut spec = declaration.spec().unwrap();
    spec.decoded_inputs = vec![(0, <Digit as Element>::CHECK.unwrap())];
    spec
}

/// Creates a request with rows of the same length.
fn request(spec: &Arc<ModelSpec>, rows: &[&[&str]], outputs: &[&str]) -> Request {
    let texts = rows.iter().flat_map(|row| row.iter());
    let input = InferInput {
        name: "INPUT_1".to_owned(),
        datatype: DataType::Bytes,
        shape: vec![rows.len() as i64, rows[0].len() as i64],
        data: encode_bytes_elements(texts.map(|text| text.as_bytes())).unwrap(),
    };
    let outputs = outputs.iter().map(|name| RequestedOutput {
        name: (*name).to_owned(),
        ..RequestedOutput::default()
    });
    let request = InferRequest {
        inputs: vec![input],
        outputs: outputs.collect(),
        ..InferRequest::new(MemoryPermit::unlimited())
    };
    Request::check(spec, request).unwrap()
}

/// Executes the requests. Returns the results and the rows of each call.
fn run(
    spec: &Arc<ModelSpec>,
    steps: &[Arc<dyn Step>],
    requests: &[Request],
) -> (Vec<Outcome>, Vec<usize>) {
    let budget = MemoryBudget::new(LIMIT_BYTES);
    let instance = Sums::default();
    let invocation = Invocation {
        instance: &instance,
        context: &Context::new(Arc::clone(spec), 0).counted_in(&budget),
        steps,
        sink: None,
    };
    let executed = invocation.execute(requests, &[]).now_or_never().unwrap();
    let outcomes = executed.results.into_iter().map(outcome).collect();
    assert_eq!(budget.reserved(), 0);
    (outcomes, instance.0.into_inner())
}

/// Parts of errors.
const DECODE: &str = "element 0 cannot be decoded: invalid digit found in string";
const PANIC: &str = "element 0 cannot be decoded: the decoder panicked: ";
const MEMORY: &str = "the server cannot hold ";

#[test]
fn only_the_request_of_an_invalid_element_is_executed_separately() {
    // The elements, a part of the error of each, and the rows of each call.
    type Case = (
        &'static [&'static str],
        &'static [&'static str],
        &'static [usize],
    );
    const TABLE: [Case; 8] = [
        (&["1", "2", "3"], &["", "", ""], &[3]),
        (&["1", "2", "x", "3"], &["", "", DECODE, ""], &[2, 1]),
        (&["x", "1", "2"], &[DECODE, "", ""], &[2]),
        (&["x", "1", "!", "x"], &[DECODE, "", PANIC, DECODE], &[1]),
        (&["1", "no size", "2", "3"], &["", DECODE, "", ""], &[1, 2]),
        (&["1", "2", "+2", "3"], &["", "", MEMORY, ""], &[2, 1]),
        // They do not fit together.
        (&["+1", "+1", "+1"], &["", "", ""], &[1, 1, 1]),
        (&["+1", "x", "+1"], &["", DECODE, ""], &[1, 1]),
    ];
    for validates_first in [false, true] {
        let mut spec = spec();
        spec.validates_first = validates_first;
        let spec = Arc::new(spec);
        for (texts, errors, expected) in TABLE {
            let requests = texts.iter().map(|&text| request(&spec, &[&[text]], &[]));
            let (outcomes, calls) = run(&spec, &[], &requests.collect::<Vec<_>>());
            assert_eq!(calls, expected, "{texts:?} {outcomes:?}");
            for ((outcome, text), expected) in outcomes.into_iter().zip(texts).zip(errors) {
                let (status, error) = match outcome {
                    Err(error) => error,
                    Ok(sum) => {
                        assert_eq!((&*sum, *expected), (text.trim_matches('+'), ""));
                        continue;
                    }
                };
                assert!(!expected.is_empty() && error.contains(expected), "{error}");
                let expected = match *expected {
                    PANIC => Status::Internal,
                    MEMORY => Status::Exhausted,
                    _ => Status::InvalidArgument,
                };
                assert_eq!(status, expected, "{error}");
            }
        }
    }
}

#[test]
fn one_invalid_element_fails_one_request_in_every_position() {
    for (validates_first, count) in (1..=3).flat_map(|count| [(false, count), (true, count)]) {
        let mut spec = spec();
        spec.validates_first = validates_first;
        let spec = Arc::new(spec);
        for invalid in 0..count {
            let text = |index| if index == invalid { "x" } else { "1" };
            let requests = (0..count).map(|index| request(&spec, &[&[text(index)]], &[]));
            let (outcomes, _) = run(&spec, &[], &requests.collect::<Vec<_>>());
            for (index, outcome) in outcomes.into_iter().enumerate() {
                let status = outcome.map_err(|(status, _)| status);
                let expected = match index == invalid {
                    true => Err(Status::InvalidArgument),
                    false => Ok("1".to_owned()),
                };
                assert_eq!(status, expected, "{index} of {count}, {invalid} is invalid");
            }
        }
    }
}

/// Cuts a batch of four rows into two groups.
#[derive(Debug)]
struct Reordered;

impl Step for Reordered {
    fn cut(&self, _: &Batch<'_>) -> Result<Groups, Error> {
        Ok(vec![vec![3, 0], vec![2, 1]])
    }
}

#[test]
fn rows_that_cannot_be_encoded_fail_the_requests_of_their_outputs() {
    let spec = Arc::new(spec());
    let output = |name: &str, element: usize, cause: &str| {
        let text = format!(
            "output 'OUTPUT_{name}' of model 'Identity': element {element} cannot be encoded: "
        );
        Err((Status::Internal, text + cause))
    };
    let (first, sum) = (["OUTPUT_1"], ["OUTPUT_2"]);
    // Requests with four rows in total, the requested outputs, and the result.
    type Case<'a> = (&'a [&'a [&'a str]], &'a [&'a str], Outcome);
    let table: [&[Case<'_>]; 3] = [
        &[
            (&[&["1", "2"]], &[], Ok("3".to_owned())),
            (&[&["4", "6"]], &[], output("2", 0, "10 has several digits")),
            (&[&["4", "6"]], &first, Ok("4".to_owned())),
            (
                &[&["9", "4"]],
                &sum,
                output("2", 0, "the encoder panicked: thirteen"),
            ),
        ],
        &[
            (
                &[&["11", "0"]],
                &[],
                output("1", 0, "11 has several digits"),
            ),
            (
                &[&["11", "1"]],
                &sum,
                output("2", 0, "12 has several digits"),
            ),
            (
                &[&["1", "1"], &["14", "1"]],
                &[],
                output("1", 1, "14 has several digits"),
            ),
        ],
        &[(
            &[&["1", "1"], &["2", "2"], &["6", "6"], &["11", "1"]],
            &sum,
            output("2", 2, "12 has several digits"),
        )],
    ];
    let groups: [Arc<dyn Step>; 1] = [Arc::new(Reordered)];
    for cases in table {
        let requests = cases.iter();
        let requests = requests.map(|(rows, outputs, _)| request(&spec, rows, outputs));
        let requests: Vec<_> = requests.collect();
        let expected: Vec<_> = cases
            .iter()
            .map(|(.., expected)| expected.clone())
            .collect();
        for (steps, calls) in [(&groups[..0], vec![4]), (&groups[..], vec![2, 2])] {
            assert_eq!(run(&spec, steps, &requests), (expected.clone(), calls));
        }
    }
}

/// How a function sends its responses.
#[derive(Debug, Clone, Copy)]
enum Streaming {
    Iterator,
    Stream,
    Responses,
}

/// Sends the input three times, each time incremented.
struct Increments(Streaming);

impl Instance for Increments {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<Digit, Ix2>(0)?;
            let items = (0..3).map(|item| x.map(|digit| Digit(digit.0 + item)));
            match self.0 {
                Streaming::Iterator => iterate(call, items, |item| call.outputs(item)),
                Streaming::Stream => flow(call, stream_of(items), |item| call.outputs(item)).await,
                Streaming::Responses => {
                    let responses = Responses::<Array2<Digit>>::of(call).unwrap();
                    for item in items {
                        if responses.send(item).await.is_err() {
                            break;
                        }
                    }
                    Ok(Returned::Streamed)
                }
            }
        })
    }
}

/// The responses to each request.
#[derive(Debug, Default)]
struct Sink(Mutex<Vec<Vec<Outcome>>>);

impl ResponseSink for Sink {
    fn poll_send(
        &self,
        request: usize,
        response: &mut Option<Result<Response, ModelError>>,
        _: &mut std::task::Context<'_>,
    ) -> Poll<Result<(), Cancelled>> {
        if self.is_cancelled(request) {
            return Poll::Ready(Err(Cancelled));
        }
        let outcomes = response.take().map(outcome);
        self.0.lock()[request].extend(outcomes);
        Poll::Ready(Ok(()))
    }

    fn finish(&self, request: usize, end: Result<(), ModelError>) {
        assert!(!self.is_cancelled(request), "{request} {end:?}");
        let end = end.map_err(|error| Err((error.status(), error.to_string())));
        self.0.lock()[request].extend(end.err());
    }

    fn is_cancelled(&self, request: usize) -> bool {
        matches!(self.0.lock()[request].last(), Some(Err(_)))
    }
}

#[test]
fn stream_ends_only_for_the_requests_that_cannot_receive_an_item() {
    let mut spec = spec();
    spec.outputs.truncate(1);
    spec.decoupled = true;
    let spec = Arc::new(spec);
    let sent = |texts: &[&str], error: &str| {
        let mut outcomes: Vec<Outcome> = texts.iter().map(|&text| Ok(text.to_owned())).collect();
        let name = "output 'OUTPUT_1' of model 'Identity': element 0 cannot be encoded: ";
        if !error.is_empty() {
            outcomes.push(Err((Status::Internal, format!("{name}{error}"))));
        }
        outcomes
    };
    let cases = [
        ("1", sent(&["1", "2", "3"], "")),
        ("9", sent(&["9"], "10 has several digits")),
        ("12", sent(&[], "12 has several digits")),
        ("13", sent(&[], "the encoder panicked: thirteen")),
        ("7", sent(&["7", "8", "9"], "")),
    ];
    for streaming in [Streaming::Iterator, Streaming::Stream, Streaming::Responses] {
        // All requests, and those that fail.
        for count in [0..5, 1..4, 2..3] {
            let cases = &cases[count];
            let requests = cases
                .iter()
                .map(|(text, _)| request(&spec, &[&[*text]], &[]));
            let requests: Vec<_> = requests.collect();
            let sink = Arc::new(Sink(Mutex::new(vec![Vec::new(); requests.len()])));
            let shared: Arc<dyn ResponseSink> = Arc::<Sink>::clone(&sink);
            let invocation = Invocation {
                instance: &Increments(streaming),
                context: &Context::new(Arc::clone(&spec), 0),
                steps: &[],
                sink: Some(&shared),
            };
            let executed = invocation.execute(&requests, &[]).now_or_never().unwrap();
            let outcomes = sink.0.lock().clone();
            for ((result, got), (text, expected)) in
                executed.results.into_iter().zip(outcomes).zip(cases)
            {
                let mut got = got;
                // The error of a call with one request is its result.
                got.extend(
                    result
                        .err()
                        .map(|error| Err((error.status(), error.to_string()))),
                );
                assert_eq!(got, *expected, "{streaming:?} {text}");
            }
        }
    }
}
