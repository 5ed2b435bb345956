//! However a function or step reads an input, the memory is reserved first.

use std::fmt;
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::FutureExt;
use ndarray::{Array2, Ix2};

use super::*;
use crate::decorators::{Batch, Groups, Step};
use crate::error::Error;
use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::{CallMode, TensorDeclaration};
use crate::registry::ModelDeclaration;
use crate::request::{InferInput, InferRequest, Request, Response};
use crate::status::Status;
use crate::tensor::{DataType, Element, Tensor, element_count};
use crate::testing::IDENTITY;
use crate::testing::heap::peak;

type Results = Vec<Result<Response, ModelError>>;

/// The ways in which a function or step reads an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    View,
    ByValue,
    Scalar,
    Requests,
    Cut,
    Prepare,
}

/// Reads the first input of its model, whose elements are `T`.
struct Reader<T> {
    reading: Reading,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Instance for Reader<T> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            match self.reading {
                Reading::View => drop(black_box([
                    call.array::<T, Ix2>(0)?,
                    call.array::<T, Ix2>(0)?,
                ])),
                Reading::ByValue => drop(black_box(<Array2<T> as Parameter>::read(call, 0)?)),
                Reading::Scalar => drop(black_box(call.scalar::<T>(0)?)),
                Reading::Requests => {
                    let arrays = call.requests().iter().map(|request| {
                        let array = request.array::<T>("INPUT_1");
                        array.unwrap().unwrap()
                    });
                    drop(black_box(arrays.collect::<Vec<_>>()));
                    let rows = call.requests().len();
                    let outputs = (0..rows).map(|_| Ok::<_, String>(Array2::<f32>::zeros((1, 1))));
                    return call.responses(Ok::<_, String>(outputs.collect::<Vec<_>>()));
                }
                Reading::Cut | Reading::Prepare => {}
            }
            let rows = call.inputs()[0].as_deref().map_or(0, Tensor::rows);
            call.outputs(Array2::<f32>::zeros((rows, 1)))
        })
    }
}

impl<T> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reading.fmt(f)
    }
}

impl<T: Element> Step for Reader<T> {
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        if self.reading == Reading::Cut {
            drop(black_box([
                batch.array::<T>("INPUT_1")?,
                batch.array::<T>("INPUT_1")?,
            ]));
        }
        Ok(Groups::new())
    }

    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        if self.reading == Reading::Prepare {
            drop(black_box([
                batch.array::<T>("INPUT_1")?,
                batch.array::<T>("INPUT_1")?,
            ]));
        }
        Ok(())
    }
}

/// Executes requests with one row each, whose input is read. Returns the results and the peak of
/// the heap.
fn read<T: Element>(
    reading: Reading,
    requests: &[Tensor],
    budget: &Arc<MemoryBudget>,
) -> (Results, usize) {
    let inputs: &'static [TensorDeclaration] = Box::leak(Box::new([TensorDeclaration {
        datatype: T::DATATYPE,
        ..IDENTITY.inputs[0]
    }]));
    let call = match reading {
        Reading::Requests => CallMode::Raw,
        _ => CallMode::Batch,
    };
    let declaration = ModelDeclaration {
        inputs,
        call,
        ..IDENTITY
    };
    let spec = Arc::new(declaration.spec().unwrap());
    let requests: Vec<_> = requests
        .iter()
        .map(|tensor| {
            let input = InferInput {
                name: "INPUT_1".to_owned(),
                datatype: T::DATATYPE,
                shape: tensor.shape().iter().map(|&dim| dim as i64).collect(),
                data: tensor.data().clone(),
            };
            let request = InferRequest {
                inputs: vec![input],
                ..InferRequest::new(MemoryPermit::unlimited())
            };
            Request::check(&spec, request).unwrap()
        })
        .collect();
    let reader = || Reader {
        reading,
        element: PhantomData::<fn() -> T>,
    };
    let steps: Vec<Arc<dyn Step>> = match reading {
        Reading::Cut | Reading::Prepare => vec![Arc::new(reader())],
        _ => Vec::new(),
    };
    let instance = reader();
    let context = Context::new(spec, 0).counted_in(budget);
    let invocation = Invocation {
        instance: &instance,
        context: &context,
        steps: &steps,
        sink: None,
    };
    let (executed, peak) = peak(|| invocation.execute(&requests, &[]).now_or_never());
    (executed.unwrap().results.into(), peak)
}

/// The heap that a call takes apart from its arguments and stacked inputs.
const OVERHEAD: usize = 16 << 10;

#[test]
fn no_input_form_allocates_more_than_is_reserved() {
    use Reading::{ByValue, Cut, Prepare, Requests, Scalar, View};
    const PAYLOAD_BYTES: usize = 1 << 20;
    let texts = || {
        let texts = vec![String::new(); PAYLOAD_BYTES / 4];
        Tensor::from_elements(vec![1, PAYLOAD_BYTES / 4], texts).unwrap()
    };
    // Whether the array is a view of its input depends on the place of the first byte.
    let numbers = |offset: usize| {
        let bytes = vec![0_u64; PAYLOAD_BYTES / 8 + 1];
        let bytes = Tensor::from_elements(vec![PAYLOAD_BYTES / 8 + 1], bytes).unwrap();
        let data = bytes.data().slice(offset..offset + PAYLOAD_BYTES);
        Tensor::new(DataType::Fp32, vec![1, PAYLOAD_BYTES / 4], data).unwrap()
    };
    type Read = fn(Reading, &[Tensor], &Arc<MemoryBudget>) -> (Results, usize);
    let of_texts: Read = read::<String>;
    let of_numbers: Read = read::<f32>;
    let text = Tensor::from_elements(vec![1, 1], vec!["a".repeat(PAYLOAD_BYTES)]).unwrap();
    for reading in [View, ByValue, Scalar, Requests, Cut, Prepare] {
        for (input, read) in [
            (text.clone(), of_texts),
            (texts(), of_texts),
            (numbers(0), of_numbers),
            (numbers(1), of_numbers),
        ] {
            for count in [1, 2] {
                // Only one element is a scalar.
                if reading == Scalar && count * element_count(input.shape()).unwrap() > 1 {
                    continue;
                }
                let inputs = vec![input.clone(); count];
                let case = format!("{reading:?} {count} {:?}", input.datatype());
                let budget = MemoryBudget::new(256 << 20);
                let (results, peak) = read(reading, &inputs, &budget);
                assert!(results.iter().all(Result::is_ok), "{case} {results:?}");
                let most = budget.peak();
                assert!(peak <= most + OVERHEAD, "{case}: {peak} of {most}");
                assert_eq!(budget.reserved(), 0, "{case}");
                if most == 0 {
                    continue;
                }
                // Values that do not fit are refused before they are allocated. Requests that do
                // not fit together are executed separately.
                let budget = MemoryBudget::new(most - 1);
                let (results, peak) = read(reading, &inputs, &budget);
                for result in results {
                    match result {
                        Err(error) => {
                            assert_eq!(error.status(), Status::Exhausted, "{case} {error}");
                        }
                        Ok(_) => assert!(count > 1, "{case}"),
                    }
                }
                let most = budget.peak();
                assert!(peak <= most + OVERHEAD, "{case}: {peak} of {most}");
                assert_eq!(budget.reserved(), 0, "{case}");
            }
        }
    }
}
