//! Batches within a maximum cost: long and short texts share a call only up to the limit.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use pytriton::ndarray::{Array2, Ix2};
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
use pytriton_tests::Engine;
use serde_json::json;

use crate::http::begin_with;
use crate::{Result, triton};

const LIMIT: usize = 100;

/// The bytes of the texts of each call.
type Calls = Arc<Mutex<Vec<Vec<usize>>>>;

/// Sends short texts around long ones, and returns the calls of the function.
fn calls(engine: Engine) -> Result<Vec<Vec<usize>>> {
    let triton = triton(engine)?;
    let model = Model::new("lengths")
        .max_batch_size(16)
        .max_queue_delay(Duration::from_millis(20))
        .max_batch_cost(LIMIT as u64)
        .cost("text")
        .input(Input::new::<String>("text", [1]))
        .output(Output::new::<u64>("length", [1]));
    let calls = Calls::default();
    let seen = Arc::clone(&calls);
    let function = Function::new(PerBatch, move |call| {
        let lengths = call.array::<String, Ix2>("text")?.mapv(|text| text.len());
        // Others queue meanwhile.
        sleep(Duration::from_millis(20));
        let mut calls = seen.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(lengths.iter().copied().collect());
        let lengths: Array2<u64> = lengths.mapv(|length| length as u64);
        Ok(lengths)
    });
    triton.bind(model, function)?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    let lengths = [
        [10; 12].as_slice(),
        &[90, 150, 60, 30],
        &[10; 12],
        &[150],
        &[10; 5],
    ]
    .concat();
    let requests = lengths.iter().map(|&length| {
        let text = "x".repeat(length);
        let input = json!({"name": "text", "datatype": "BYTES", "shape": [1, 1], "data": [text]});
        begin_with(at, "lengths", &[input])
    });
    let requests: Vec<_> = requests.collect::<Result<_>>()?;
    for (request, length) in requests.into_iter().zip(&lengths) {
        let answer = request.answer()?;
        assert_eq!(
            answer.body["outputs"][0]["data"],
            json!([length]),
            "{answer:?}"
        );
    }
    triton.stop()?;
    let calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(calls.concat().len(), lengths.len());
    Ok(calls.clone())
}

#[test]
fn long_and_short_texts_share_a_call_only_up_to_the_limit() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let calls = calls(engine)?;
        for call in &calls {
            let cost: usize = call.iter().sum();
            assert!(cost <= LIMIT || call.len() == 1, "{engine:?}: {calls:?}");
        }
        let shared = calls.iter().any(|call| call.len() > 1);
        assert!(shared, "{engine:?}: {calls:?}");
    }
    Ok(())
}
