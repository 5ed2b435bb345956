//! The memory of a function's arguments is reserved while the function runs.

use std::cell::RefCell;
use std::iter::repeat_n;
use std::sync::Arc;

use futures_util::FutureExt;
use ndarray::{Array2, Ix2};

use super::*;
use crate::decorators::ELEMENT_BYTES;
use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::TensorDeclaration;
use crate::registry::ModelDeclaration;
use crate::request::{InferInput, InferRequest, Request, Response};
use crate::tensor::{DataType, Tensor, encode_bytes_elements};
use crate::testing::IDENTITY;

/// The elements of a row of [`Texts`]: enough that two rows are tracked.
const COLUMNS: usize = 1100;

/// Decodes its input, and records the bytes that are reserved and the bytes of its argument.
struct Texts {
    budget: Arc<MemoryBudget>,
    calls: RefCell<Vec<(usize, usize)>>,
}

impl Instance for Texts {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let (rows, bytes) = match call.inputs()[0].as_deref().map(Tensor::datatype) {
                Some(DataType::Bytes) => {
                    let texts = call.array::<String, Ix2>(0)?;
                    // The allocator of the C library adds eight bytes to a text, and rounds up.
                    let heap = |text: &String| match text.capacity() {
                        0 => 0,
                        bytes => (bytes + 8).next_multiple_of(16).max(32),
                    };
                    let bytes = texts.iter().map(|text| size_of::<String>() + heap(text));
                    (texts.nrows(), bytes.sum())
                }
                _ => (call.array::<f32, Ix2>(0)?.nrows(), 0),
            };
            let reserved = self.budget.reserved();
            self.calls.borrow_mut().push((reserved, bytes));
            call.outputs(Array2::<f32>::zeros((rows, 1)))
        })
    }
}

type Results = Vec<Result<Response, ModelError>>;

/// Executes requests with one row of texts of this length, or of numbers. Returns the results
/// and the calls.
fn execute(
    count: usize,
    length: Option<usize>,
    budget: &Arc<MemoryBudget>,
) -> (Results, Vec<(usize, usize)>) {
    const TEXTS: &[TensorDeclaration] = &[TensorDeclaration {
        datatype: DataType::Bytes,
        ..IDENTITY.inputs[0]
    }];
    let inputs = length.map_or(IDENTITY.inputs, |_| TEXTS);
    let declaration = ModelDeclaration { inputs, ..IDENTITY };
    let spec = Arc::new(declaration.spec().unwrap());
    let texts = |length| encode_bytes_elements(repeat_n(&*vec![b'a'; length], COLUMNS));
    let request = || InferRequest {
        inputs: vec![InferInput {
            name: "INPUT_1".to_owned(),
            datatype: inputs[0].datatype,
            shape: vec![1, COLUMNS as i64],
            data: length.map_or(vec![0; 4 * COLUMNS].into(), |length| texts(length).unwrap()),
        }],
        ..InferRequest::new(MemoryPermit::unlimited())
    };
    let requests = (0..count).map(|_| Request::check(&spec, request()).unwrap());
    let requests: Vec<_> = requests.collect();
    let instance = Texts {
        budget: Arc::clone(budget),
        calls: RefCell::default(),
    };
    let context = Context::new(spec, 0).counted_in(budget);
    let invocation = Invocation {
        instance: &instance,
        context: &context,
        steps: &[],
        sink: None,
    };
    let executed = invocation.execute(&requests, &[]).now_or_never();
    (executed.unwrap().results.into(), instance.calls.take())
}

#[test]
fn decoded_texts_are_reserved_while_the_function_runs() {
    for length in [0, 1, 7, 8, 24, 25, 100, 1000] {
        for count in [1, 2, 8] {
            let budget = MemoryBudget::new(64 << 20);
            let (results, calls) = execute(count, Some(length), &budget);
            assert!(results.iter().all(Result::is_ok), "{results:?}");
            let [(reserved, texts)] = calls[..] else {
                panic!("{calls:?}")
            };
            // With several requests, the stacked input is reserved too.
            let stacked = if count > 1 {
                count * COLUMNS * (4 + length)
            } else {
                0
            };
            assert!(reserved >= stacked + texts, "{length} {count} {calls:?}");
            assert_eq!(budget.reserved(), 0, "{length} {count}");
        }
    }
}

#[test]
fn texts_that_exceed_the_budget_are_refused_before_they_are_decoded() {
    let bytes = COLUMNS * (ELEMENT_BYTES + 4);
    // Two stacked inputs and their texts.
    let both = 2 * COLUMNS * 4 + 2 * bytes;
    // The number of requests, the limit, and the number of calls. Requests that do not fit together
    // are executed separately.
    let table = [
        (1, bytes, 1),
        (1, bytes - 1, 0),
        (2, both, 1),
        (2, both - 1, 2),
        (2, bytes, 2),
        (2, bytes - 1, 0),
    ];
    for (count, limit, expected) in table {
        let budget = MemoryBudget::new(limit);
        let (results, calls) = execute(count, Some(0), &budget);
        assert_eq!(calls.len(), expected, "{count} {limit}");
        for result in results {
            match result {
                Err(ModelError::Budget(error)) => assert_eq!(error.bytes, bytes),
                other => assert!(expected > 0 && other.is_ok(), "{other:?}"),
            }
        }
        assert_eq!(budget.reserved(), 0);
    }
}

#[test]
fn requests_whose_inputs_cannot_be_stacked_are_executed_separately() {
    let stacked = 2 * 4 * COLUMNS;
    for (limit, expected) in [(stacked, 1), (stacked - 1, 2)] {
        let budget = MemoryBudget::new(limit);
        let (results, calls) = execute(2, None, &budget);
        assert_eq!(calls.len(), expected, "{limit}");
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    }
}

#[test]
fn numbers_are_views_and_reserve_nothing() {
    let budget = MemoryBudget::new(64 << 20);
    let (_, calls) = execute(1, None, &budget);
    assert_eq!(calls, [(0, 0)]);
}
