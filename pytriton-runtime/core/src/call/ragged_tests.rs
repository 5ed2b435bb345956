//! Requests whose ragged input has different lengths share a call.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::FutureExt;
use ndarray::Array2;

use super::grouped_batch::GroupedBatch;
use super::*;
use crate::decorators::{FillOptional, GroupByValues, PadBatch, Step};
use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::{ModelSpec, TensorDeclaration};
use crate::registry::ModelDeclaration;
use crate::request::{InferInput, InferRequest, Request, Response};
use crate::tensor::{DataType, Element, Ragged, Tensor};
use crate::testing::IDENTITY;
use crate::tracked_tensor::TrackedTensor;

/// A call: the rows of `tokens`.
type Calls = Vec<Vec<Vec<i64>>>;

/// Returns the sum of each row of `tokens`, and records the calls.
#[derive(Default)]
struct Sums(RefCell<Calls>);

impl Instance for Sums {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let tokens = Ragged::<i64>::read(call, 0)?;
            let tokens: Ragged<'_, i64> = tokens.argument();
            let rows = tokens.rows().map(|row| row.to_vec());
            self.0.borrow_mut().push(rows.collect());
            let sums = tokens.rows().map(|row| row.sum());
            let sums = Array2::from_shape_vec((tokens.len(), 1), sums.collect());
            call.outputs(sums.map_err(|_| "the shape is wrong"))
        })
    }
}

const TOKENS: TensorDeclaration = TensorDeclaration {
    name: "tokens",
    datatype: DataType::Int64,
    ..IDENTITY.inputs[0]
};
const KEY: TensorDeclaration = TensorDeclaration {
    name: "key",
    optional: true,
    ..TOKENS
};

fn spec() -> ModelSpec {
    let declaration = ModelDeclaration {
        inputs: &[TOKENS, KEY],
        ragged_inputs: &[0],
        ..IDENTITY
    };
    let mut spec = declaration.spec().unwrap();
    spec.outputs[0].datatype = DataType::Int64;
    spec
}

/// An input with these rows, which have the same length.
fn input(name: &str, rows: &[&[i64]]) -> InferInput {
    let shape = vec![rows.len(), rows[0].len()];
    let tensor = Tensor::from_elements(shape.clone(), rows.concat()).unwrap();
    InferInput {
        name: name.to_owned(),
        datatype: DataType::Int64,
        shape: shape
            .into_iter()
            .map(|dim| i64::try_from(dim).unwrap())
            .collect(),
        data: tensor.data().clone(),
    }
}

fn request(spec: &Arc<ModelSpec>, inputs: Vec<InferInput>) -> Request {
    let request = InferRequest {
        inputs,
        ..InferRequest::new(MemoryPermit::unlimited())
    };
    Request::check(spec, request).unwrap()
}

/// The inputs of the requests, stacked as by the worker of tritonserver.
fn stacked(requests: &[Request]) -> Vec<Option<TrackedTensor>> {
    let parts = requests.iter().map(|request| {
        let tensor = request.inputs()[0].as_ref().unwrap();
        let count = tensor.shape().iter().product::<usize>();
        tensor.reshaped([count].as_slice()).unwrap()
    });
    let parts: Vec<_> = parts.collect();
    vec![
        Some(TrackedTensor::stack(parts.iter(), None).unwrap()),
        None,
    ]
}

/// Returns the response to each request.
pub(super) fn responses<I: Instance>(
    spec: &Arc<ModelSpec>,
    instance: &I,
    steps: &[Arc<dyn Step>],
    requests: &[Request],
    stacked: &[Option<TrackedTensor>],
) -> Vec<Response> {
    let callee = Invocation {
        instance,
        context: &Context::new(Arc::clone(spec), 0),
        steps,
        sink: None,
    };
    let batch = GroupedBatch::new(spec, requests, stacked);
    let mut executed = Executed::default();
    let ended = callee.execute_calls(&batch, |call| {
        executed.append(call);
        ControlFlow::Continue(())
    });
    assert!(ended.now_or_never().unwrap().is_continue());
    let results = batch.restore(executed).results.into_iter();
    results.map(Result::unwrap).collect()
}

/// Returns the elements of the only output.
pub(super) fn elements<T: Element>(response: &Response) -> Vec<T> {
    let (_, output) = response.outputs.iter().next().unwrap();
    output.elements::<T>().unwrap().to_vec()
}

/// Returns the outputs of each request, and the calls.
fn execute(
    spec: ModelSpec,
    steps: &[Arc<dyn Step>],
    requests: &[Request],
    stacked: &[Option<TrackedTensor>],
) -> (Vec<Vec<i64>>, Calls) {
    let instance = Sums::default();
    let responses = responses(&Arc::new(spec), &instance, steps, requests, stacked);
    (responses.iter().map(elements).collect(), instance.0.take())
}

#[test]
fn rows_of_all_lengths_are_in_one_call() {
    let table: [&[&[&[i64]]]; 9] = [
        &[&[&[1, 2, 3]]],
        &[&[&[]]],
        &[&[&[]], &[&[]]],
        &[&[&[]], &[&[1]]],
        &[&[&[1]], &[&[2, 3]], &[&[4, 5, 6]]],
        &[&[&[1, 2], &[3, 4]], &[&[5]]],
        &[&[&[], &[]], &[&[1, 2]], &[&[]], &[&[7]]],
        &[
            &[&[]],
            &[&[1, 2, 3, 4], &[5, 6, 7, 8]],
            &[&[9], &[10], &[11]],
        ],
        &[&[&[1]], &[&[2]]],
    ];
    for sent in table {
        let spec = spec();
        let shared = Arc::new(spec.clone());
        let requests = sent
            .iter()
            .map(|rows| request(&shared, vec![input("tokens", rows)]));
        let requests: Vec<_> = requests.collect();
        let expected: Vec<Vec<i64>> = sent
            .iter()
            .map(|rows| rows.iter().map(|row| row.iter().sum()).collect())
            .collect();
        let rows: Vec<Vec<i64>> = sent.concat().iter().map(|row| row.to_vec()).collect();
        for stacked in [Vec::new(), stacked(&requests)] {
            let (outputs, calls) = execute(spec.clone(), &[], &requests, &stacked);
            assert_eq!(outputs, expected, "{sent:?}");
            assert_eq!(calls, std::slice::from_ref(&rows), "{sent:?}");
        }
    }
}

#[test]
fn other_inputs_keep_their_rules() {
    let spec = spec();
    let shared = Arc::new(spec.clone());
    let tokens: [&[i64]; 4] = [&[1], &[2, 3], &[4], &[5, 6, 7]];
    let keys: [&[i64]; 4] = [&[0], &[0, 0], &[0], &[0, 0]];
    let requests = tokens.iter().zip(keys).map(|(tokens, key)| {
        request(
            &shared,
            vec![input("tokens", &[tokens]), input("key", &[key])],
        )
    });
    let requests: Vec<_> = requests.collect();
    let (outputs, calls) = execute(spec, &[], &requests, &[]);
    assert_eq!(outputs, [[1], [5], [4], [18]]);
    let expected = [vec![vec![1], vec![4]], vec![vec![2, 3], vec![5, 6, 7]]];
    assert_eq!(calls, expected);
}

#[test]
fn values_are_the_cost_of_a_call() {
    let sent: [&[&[i64]]; 5] = [
        &[&[1, 2]],
        &[&[3], &[4]],
        &[&[5; 9]],
        &[&[]],
        &[&[6, 7, 8, 9]],
    ];
    for (limit, expected) in [(0, vec![6]), (4, vec![3, 1, 2]), (13, vec![5, 1])] {
        let mut spec = spec();
        spec.cost_input = Some(0);
        spec.call_options.max_batch_cost = limit;
        let shared = Arc::new(spec.clone());
        let requests = sent
            .iter()
            .map(|rows| request(&shared, vec![input("tokens", rows)]));
        let requests: Vec<_> = requests.collect();
        for stacked in [Vec::new(), stacked(&requests)] {
            let (outputs, calls) = execute(spec.clone(), &[], &requests, &stacked);
            assert_eq!(
                outputs,
                [vec![3], vec![3, 4], vec![45], vec![0], vec![30]],
                "{limit}"
            );
            let rows: Vec<usize> = calls.iter().map(Vec::len).collect();
            assert_eq!(rows, expected, "{limit}");
        }
    }
}

#[test]
fn steps_process_rows_of_different_lengths() {
    static BY_KEY: GroupByValues = GroupByValues::new(&["key"]);
    static BY_TOKENS: GroupByValues = GroupByValues::new(&["tokens"]);
    static FILL: FillOptional<i64, [i64; 1]> = FillOptional::new("key", [1]);
    let group: Arc<dyn Step> = Arc::new(BY_KEY);
    let tokens: Arc<dyn Step> = Arc::new(BY_TOKENS);
    let pad: Arc<dyn Step> = Arc::new(PadBatch);
    let fill: Arc<dyn Step> = Arc::new(FILL);
    let (one, two, three) = (vec![1], vec![2, 3], vec![4, 5, 6]);
    let table: [(&[Arc<dyn Step>], Calls); 6] = [
        (
            &[Arc::clone(&group)],
            vec![
                vec![one.clone(), three.clone()],
                vec![two.clone(), one.clone()],
            ],
        ),
        (
            &[Arc::clone(&tokens)],
            vec![
                vec![one.clone(), one.clone()],
                vec![two.clone()],
                vec![three.clone()],
            ],
        ),
        (
            &[Arc::clone(&pad)],
            vec![vec![
                one.clone(),
                two.clone(),
                three.clone(),
                one.clone(),
                one.clone(),
            ]],
        ),
        (
            &[Arc::clone(&group), Arc::clone(&pad)],
            vec![
                vec![
                    one.clone(),
                    three.clone(),
                    three.clone(),
                    three.clone(),
                    three.clone(),
                ],
                vec![
                    two.clone(),
                    one.clone(),
                    one.clone(),
                    one.clone(),
                    one.clone(),
                ],
            ],
        ),
        (
            &[fill],
            vec![vec![one.clone(), two.clone(), three.clone(), one.clone()]],
        ),
        (
            &[],
            vec![vec![one.clone(), two.clone(), three.clone(), one.clone()]],
        ),
    ];
    for (steps, expected) in table {
        let mut spec = spec();
        spec.max_batch_size = 5;
        let shared = Arc::new(spec.clone());
        let rows = [&one, &two, &three, &one].into_iter().zip([0, 1, 0, 1]);
        let requests = rows.map(|(row, key)| {
            request(
                &shared,
                vec![input("tokens", &[row]), input("key", &[&[key]])],
            )
        });
        let requests: Vec<_> = requests.collect();
        for step in steps {
            step.check(&spec).unwrap();
        }
        let (outputs, calls) = execute(spec, steps, &requests, &[]);
        assert_eq!(outputs, [[1], [5], [15], [1]]);
        assert_eq!(calls, expected, "{steps:?}");
    }
}

#[test]
fn default_value_is_the_row_of_each_request() {
    static FILL: FillOptional<i64, [i64; 2]> = FillOptional::new("tokens", [7, 8]);
    let mut spec = spec();
    spec.inputs[0].optional = true;
    let step: Arc<dyn Step> = Arc::new(FILL);
    step.check(&spec).unwrap();
    let shared = Arc::new(spec.clone());
    let requests = [1, 2].map(|rows| {
        let keys: Vec<&[i64]> = vec![&[0]; rows];
        request(&shared, vec![input("key", &keys)])
    });
    let (outputs, calls) = execute(spec, &[step], &requests, &[]);
    assert_eq!(outputs, [vec![15], vec![15, 15]]);
    assert_eq!(calls, [vec![vec![7, 8]; 3]]);
}

/// Joins the texts of each row.
struct Joined;

impl Instance for Joined {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let texts = Ragged::<String>::read(call, 0)?;
            let texts = texts.argument();
            let rows = texts.rows().map(|row| row.to_vec().join("+"));
            let rows = Array2::from_shape_vec((texts.len(), 1), rows.collect());
            call.outputs(rows.map_err(|_| "the shape is wrong"))
        })
    }
}

#[test]
fn texts_are_values_and_their_memory_is_reserved() {
    let mut spec = spec();
    spec.inputs[0].datatype = <String as Element>::DATATYPE;
    spec.outputs[0].datatype = DataType::Bytes;
    spec.inputs.truncate(1);
    let spec = Arc::new(spec);
    let long = "x".repeat(20_000);
    let sent: [&[&str]; 4] = [&["a", "bc"], &[], &["", &long, "é"], &["d"]];
    let requests = sent.map(|row| {
        let texts = row.iter().map(|text| (*text).to_owned()).collect();
        let tensor = Tensor::from_elements::<String>(vec![1, row.len()], texts).unwrap();
        let input = InferInput {
            name: "tokens".to_owned(),
            datatype: DataType::Bytes,
            shape: vec![1, i64::try_from(row.len()).unwrap()],
            data: tensor.data().clone(),
        };
        request(&spec, vec![input])
    });
    for (limit, fits) in [(1 << 20, true), (16 << 10, false)] {
        let budget = MemoryBudget::new(limit);
        let context = Context::new(Arc::clone(&spec), 0).counted_in(&budget);
        let callee = Invocation {
            instance: &Joined,
            context: &context,
            steps: &[],
            sink: None,
        };
        let executed = callee.execute(&requests, &[]).now_or_never().unwrap();
        if fits {
            for (result, row) in executed.results.iter().zip(sent) {
                let response = result.as_ref().unwrap();
                let (_, output) = response.outputs.iter().next().unwrap();
                assert_eq!(
                    output.elements::<String>().unwrap().to_vec(),
                    [row.join("+")]
                );
            }
        }
        assert_eq!(executed.results.iter().all(Result::is_ok), fits);
        drop(executed);
        assert_eq!(budget.reserved(), 0);
    }
}
