//! A batch of tritonserver is split into calls within the maximum cost.

use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::FutureExt;

use super::grouped_batch::GroupedBatch;
use super::pipeline::runs;
use super::*;
use crate::model::{CallMode, ModelSpec};
use crate::request::Request;
use crate::testing::{IDENTITY, Identity, request};
use crate::tracked_tensor::TrackedTensor;

/// A model whose requests cost as much as they have rows.
fn spec(limit: u64) -> ModelSpec {
    let mut spec = IDENTITY.spec().unwrap();
    spec.cost_input = Some(0);
    spec.call_options.max_batch_cost = limit;
    spec
}

/// Returns requests with these numbers of rows. The values are their indices.
fn requests(spec: &Arc<ModelSpec>, rows: &[usize]) -> Vec<Request> {
    let requests = (0_u8..).zip(rows);
    requests
        .map(|(index, &rows)| request(spec, rows, index.into()))
        .collect()
}

#[test]
fn calls_have_at_most_the_maximum_cost_or_one_request() {
    let table: [(u64, &[usize], &[usize]); 11] = [
        (5, &[], &[]),
        (5, &[5], &[1]),
        (5, &[8], &[1]),
        (5, &[2, 3], &[2]),
        (5, &[2, 4], &[1, 1]),
        (5, &[1, 1, 1, 1, 1, 1], &[5, 1]),
        // The expensive request is first, in the middle, and last.
        (5, &[8, 1, 1, 4], &[1, 2, 1]),
        (5, &[1, 1, 8, 1, 1], &[2, 1, 2]),
        (5, &[1, 1, 1, 8], &[3, 1]),
        (1, &[1, 1, 1], &[1, 1, 1]),
        // No limit.
        (0, &[8, 8, 8], &[3]),
    ];
    for (limit, rows, expected) in table {
        for call in [CallMode::Batch, CallMode::Raw] {
            let mut spec = spec(limit);
            spec.call = call;
            let spec = Arc::new(spec);
            let requests = requests(&spec, rows);
            let calls = runs(&spec, &requests, false);
            let sizes: Vec<usize> = calls.map(<[Request]>::len).collect();
            assert_eq!(sizes, expected, "{limit} {rows:?} {call:?}");
        }
    }
}

#[test]
fn requests_of_a_stacked_batch_receive_their_own_rows() {
    let spec = Arc::new(spec(5));
    let requests = requests(&spec, &[2, 8, 3, 2, 1]);
    let inputs = requests.iter().flat_map(|request| &request.inputs()[0]);
    let stacked = [Some(TrackedTensor::stack(inputs, None).unwrap())];
    let batch = GroupedBatch::new(&spec, &requests, &stacked);
    let callee = Invocation {
        instance: &Identity,
        context: &Context::new(Arc::clone(&spec), 0),
        steps: &[],
        sink: None,
    };
    let mut calls: Vec<Vec<Vec<f32>>> = Vec::new();
    let executed = callee.execute_calls(&batch, |call| {
        let results = call.results.into_iter().map(|result| {
            let response = result.unwrap();
            let (_, output) = response.outputs.iter().next().unwrap();
            output.elements::<f32>().unwrap().to_vec()
        });
        calls.push(results.collect());
        ControlFlow::Continue(())
    });
    assert!(executed.now_or_never().unwrap().is_continue());
    let expected = [
        vec![vec![0.0; 2]],
        vec![vec![1.0; 8]],
        vec![vec![2.0; 3], vec![3.0; 2]],
        vec![vec![4.0]],
    ];
    assert_eq!(calls, expected);
}
