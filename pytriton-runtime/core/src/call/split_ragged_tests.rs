//! Batches that tritonserver has stacked, split into several calls.

use std::cell::Cell;
use std::sync::Arc;

use ndarray::{Array2, Ix2};

use super::ragged_tests::{elements, responses};
use super::*;
use crate::memory_budget::MemoryPermit;
use crate::model::{ModelSpec, TensorDeclaration};
use crate::registry::ModelDeclaration;
use crate::request::{InferInput, InferRequest, Request};
use crate::tensor::{DataType, Element, Ragged, Tensor};
use crate::testing::IDENTITY;
use crate::tracked_tensor::TrackedTensor;

/// Joins the texts of both inputs in each row, and counts the calls.
struct Joined {
    /// Whether the second input is ragged, too.
    ragged: bool,
    calls: Cell<usize>,
}

impl Instance for Joined {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            self.calls.set(self.calls.get() + 1);
            let one = Ragged::<String>::read(call, 0)?;
            let one = one.argument().rows().map(|row| row.to_vec().join("+"));
            let one: Vec<String> = one.collect();
            let two: Vec<String> = match self.ragged {
                true => {
                    let two = Ragged::<String>::read(call, 1)?;
                    let two = two.argument();
                    two.rows().map(|row| row.to_vec().join("+")).collect()
                }
                false => {
                    let two = call.array::<String, Ix2>(1)?;
                    two.rows()
                        .into_iter()
                        .map(|row| row.to_vec().join("+"))
                        .collect()
                }
            };
            let rows = one
                .into_iter()
                .zip(two)
                .map(|(one, two)| format!("{one}|{two}"));
            let rows: Vec<String> = rows.collect();
            let rows = Array2::from_shape_vec((rows.len(), 1), rows);
            call.outputs(rows.map_err(|_| "the shape is wrong"))
        })
    }
}

const ONE: TensorDeclaration = TensorDeclaration {
    name: "one",
    datatype: DataType::Bytes,
    ..IDENTITY.inputs[0]
};
const TWO: TensorDeclaration = TensorDeclaration { name: "two", ..ONE };

fn spec(ragged: &'static [usize], limit: u64) -> Arc<ModelSpec> {
    let declaration = ModelDeclaration {
        inputs: &[ONE, TWO],
        ragged_inputs: ragged,
        ..IDENTITY
    };
    let mut spec = declaration.spec().unwrap();
    spec.outputs[0].datatype = <String as Element>::DATATYPE;
    spec.cost_input = Some(0);
    spec.call_options.max_batch_cost = limit;
    Arc::new(spec)
}

/// A request with one row.
fn request(spec: &Arc<ModelSpec>, row: [&[&str]; 2]) -> Request {
    let inputs = ["one", "two"].into_iter().zip(row).map(|(name, texts)| {
        let length = texts.len();
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        let tensor = Tensor::from_elements::<String>(vec![1, length], texts).unwrap();
        InferInput {
            name: name.to_owned(),
            datatype: DataType::Bytes,
            shape: vec![1, i64::try_from(length).unwrap()],
            data: tensor.data().clone(),
        }
    });
    let request = InferRequest {
        inputs: inputs.collect(),
        ..InferRequest::new(MemoryPermit::unlimited())
    };
    Request::check(spec, request).unwrap()
}

/// An input of the requests, stacked as by the worker.
fn stacked(requests: &[Request], input: usize, ragged: bool) -> Option<TrackedTensor> {
    let parts = requests.iter().map(|request| {
        let tensor = request.inputs()[input].clone().unwrap();
        let count = tensor.shape().iter().product::<usize>();
        match ragged {
            true => tensor.reshaped([count].as_slice()).unwrap(),
            false => tensor,
        }
    });
    let parts: Vec<_> = parts.collect();
    Some(TrackedTensor::stack(parts.iter(), None).unwrap())
}

#[test]
fn inputs_advance_by_their_own_bytes() {
    let sent: [[&[&str]; 2]; 5] = [
        [&["a", "bc"], &["k", "l"]],
        [&[], &["", "m"]],
        [&["", "é", "x"], &["long text", ""]],
        [&["d"], &["n", "o"]],
        [&["", ""], &["p", ""]],
    ];
    let expected = ["a+bc|k+l", "|+m", "+é+x|long text+", "d|n+o", "+|p+"];
    for (ragged, both) in [(&[0][..], false), (&[0, 1], true)] {
        for (limit, calls) in [(1, 4), (3, 3), (100, 1)] {
            let spec = spec(ragged, limit);
            let requests = sent.map(|row| request(&spec, row));
            let stacked = [stacked(&requests, 0, true), stacked(&requests, 1, both)];
            let instance = Joined {
                ragged: both,
                calls: Cell::new(0),
            };
            let responses = responses(&spec, &instance, &[], &requests, &stacked);
            let outputs = responses
                .iter()
                .map(|response| elements::<String>(response).concat());
            assert_eq!(outputs.collect::<Vec<_>>(), expected, "{both} {limit}");
            assert_eq!(instance.calls.get(), calls, "{both} {limit}");
        }
    }
}
