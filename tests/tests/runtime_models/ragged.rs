//! Texts of different lengths share a call of a function with a ragged input.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pytriton::ndarray::Array2;
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
use pytriton_tests::Engine;
use serde_json::json;

use crate::http::begin_with;
use crate::{Result, triton};

#[test]
fn rows_of_different_lengths_share_a_call() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let model = Model::new("lengths")
            .max_batch_size(8)
            .preferred_batch_size([4])
            .max_queue_delay(Duration::from_secs(5))
            .input(Input::new::<i64>("tokens", [-1]).ragged())
            .input(Input::new::<f32>("weights", [-1]).ragged().optional())
            .output(Output::new::<u64>("length", [1]));
        let calls = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&calls);
        let function = Function::new(PerBatch, move |call| {
            let tokens = call.ragged::<i64>("tokens")?;
            let weights = call.optional_ragged::<f32>("weights")?;
            assert!(weights.is_none() && call.ragged::<f32>("weights").is_err());
            let mut lengths: Vec<usize> = tokens.lengths().collect();
            let outputs = lengths.iter().map(|&length| length as u64).collect();
            lengths.sort_unstable();
            let mut calls = seen.lock().unwrap_or_else(PoisonError::into_inner);
            calls.push(lengths);
            Ok(Array2::from_shape_vec((tokens.len(), 1), outputs)?)
        });
        triton.bind(model, function)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let requests = [3_usize, 0, 7, 1].map(|length| {
            let input = json!({
                "name": "tokens",
                "datatype": "INT64",
                "shape": [1, length],
                "data": vec![length; length],
            });
            begin_with(at, "lengths", &[input]).map(|request| (length, request))
        });
        for request in requests {
            let (length, request) = request?;
            let answer = request.answer()?;
            let data = &answer.body["outputs"][0]["data"];
            assert_eq!(*data, json!([length]), "{answer:?}");
        }
        triton.stop()?;
        let calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(*calls, [[0, 1, 3, 7]], "{engine:?}");
    }
    Ok(())
}
