//! Every form of function, on both engines.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use pytriton::ndarray::{Array2, Ix2};
use pytriton::runtime_models::{
    Function, FunctionCall, Input, Model, Named, Output, PerBatch, PerRequest, Raw,
};
use pytriton::{Error, Tensor};
use pytriton_tests::Engine;
use serde_json::json;

use crate::http::{begin, infer, infer_with};
use crate::{Result, model, triton};

type Chosen =
    dyn Fn(FunctionCall<'_, PerBatch>) -> std::result::Result<Vec<Tensor>, Error> + Send + Sync;

/// A function that is selected at run time.
fn chosen(by: f32) -> Box<Chosen> {
    Box::new(move |call| {
        let y = &call.array::<f32, Ix2>("x")? * by;
        let shape = y.shape().to_vec();
        Ok(vec![Tensor::from_elements(shape, y.into_iter().collect())?])
    })
}

fn raw(
    call: FunctionCall<'_, Raw>,
) -> std::result::Result<Vec<std::result::Result<Array2<f32>, Error>>, Error> {
    let requests = call.requests().iter().map(|request| {
        let x = request.array::<f32>("x")?.ok_or("no x")?;
        let x = x.into_dimensionality::<Ix2>()?;
        match x.sum() < 0.0 {
            true => Err("the sum is negative".into()),
            false => Ok(&x + 100.0),
        }
    });
    Ok(requests.collect())
}

#[test]
fn every_function_form_is_served() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        every_form(engine)?;
    }
    Ok(())
}

fn every_form(engine: Engine) -> Result<()> {
    let triton = triton(engine)?;
    triton.bind(
        model("batch"),
        Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? * 2.0)),
    )?;
    triton.bind(
        model("sample"),
        Function::new(PerRequest, |call| Ok(&call.array::<f32, Ix2>("x")? + 1.0)),
    )?;
    triton.bind(model("raw"), Function::new(Raw, raw))?;
    let waiting = Function::new_async(PerBatch, async |call| {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(&call.array::<f32, Ix2>("x")? * 3.0)
    });
    triton.bind(model("async").batches_in_flight(2), waiting)?;
    triton.bind(model("chosen"), Function::new(PerBatch, chosen(5.0)))?;
    // The state is neither `Send` nor `Sync`.
    let counting = Function::new(
        PerBatch.stateful(|_| Ok(Rc::new(Cell::new(0.0_f32)))),
        |call| {
            call.state.set(call.state.get() + 1.0);
            Ok(&call.array::<f32, Ix2>("x")? * 0.0 + call.state.get())
        },
    );
    triton.bind(model("stateful"), counting)?;
    let shared = PerRequest.stateful(|context| Ok(context.instance() as f32 + 7.0));
    let shared = Function::new_async(shared, async |call| {
        tokio::task::yield_now().await;
        Ok(&call.array::<f32, Ix2>("x")? * 0.0 + *call.state)
    });
    triton.bind(model("async_stateful"), shared)?;
    let raw_state = Function::new(Raw.stateful(|_| Ok(1000.0_f32)), |call| {
        let answers = call.requests().iter().map(|request| {
            let x = request.array::<f32>("x")?.ok_or("no x")?;
            *call.state += x.sum();
            Ok(x.into_dimensionality::<Ix2>()?.mapv(|_| *call.state))
        });
        Ok(answers.collect::<Vec<_>>())
    });
    triton.bind(model("raw_stateful"), raw_state)?;
    let raw_waiting = Raw.stateful(|_| Ok(Cell::new(0_u32)));
    let raw_waiting = Function::new_async(raw_waiting, async |call| {
        call.state.set(call.state.get() + 1);
        tokio::task::yield_now().await;
        let answers = call.requests().iter().map(|request| {
            let rows = request.batch_size();
            Ok(Array2::from_elem((rows, 1), call.state.get() as f32))
        });
        Ok(answers.collect::<Vec<_>>())
    });
    triton.bind(model("async_raw_stateful"), raw_waiting)?;
    let flat = Model::new("flat")
        .batching(false)
        .input(Input::new::<f32>("x", [-1, -1]))
        .output(Output::new::<f32>("sum", [1]))
        .output(Output::new::<u64>("columns", [1]));
    let flat_function = Function::new(PerRequest, |call| {
        let x = call.array::<f32, Ix2>("x")?;
        let columns = one(x.ncols() as u64);
        Ok(Named::new()
            .with("columns", columns)
            .with("sum", one(x.sum())))
    });
    triton.bind(flat, flat_function)?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    let table = [
        ("batch", json!([2.0, 4.0])),
        ("sample", json!([2.0, 3.0])),
        ("raw", json!([101.0, 102.0])),
        ("async", json!([3.0, 6.0])),
        ("chosen", json!([5.0, 10.0])),
        ("stateful", json!([1.0, 1.0])),
        ("stateful", json!([2.0, 2.0])),
        ("async_stateful", json!([7.0, 7.0])),
        ("raw_stateful", json!([1003.0, 1003.0])),
        ("raw_stateful", json!([1006.0, 1006.0])),
        ("async_raw_stateful", json!([1.0])),
        ("flat", json!([3.0])),
    ];
    for (model, expected) in table {
        assert_eq!(
            infer(at, model, &[&[1.0, 2.0]])?,
            expected,
            "{engine:?} {model}"
        );
    }
    let failed = infer(at, "raw", &[&[-1.0, -2.0]])?.to_string();
    assert!(failed.contains("the sum is negative"), "{failed}");
    assert!(triton.is_alive());
    triton.stop()?;
    assert!(!triton.is_alive());
    Ok(())
}

#[test]
fn optional_outputs_are_omitted() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let optional = |name| model(name).output(Output::new::<f32>("sum", [1]).optional());
        let named = Function::new(PerRequest, |call| {
            let x = call.array::<f32, Ix2>("x")?.into_owned();
            let sum = x.sum();
            let outputs = Named::new().with("y", x);
            Ok(match sum > 0.0 {
                true => outputs.with("sum", Array2::from_elem((1, 1), sum)),
                false => outputs,
            })
        });
        triton.bind(optional("named"), named)?;
        let tuple = Function::new(PerRequest, |call| {
            let x = call.array::<f32, Ix2>("x")?.into_owned();
            let sum = x.sum();
            let sums = (sum > 0.0).then(|| Array2::from_elem((1, 1), sum));
            Ok((x, sums))
        });
        triton.bind(optional("tuple"), tuple)?;
        // Its `y` is required.
        let missing = Function::new(PerRequest, |_| {
            Ok((None::<Array2<f32>>, None::<Array2<f32>>))
        });
        triton.bind(optional("missing"), missing)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        for model in ["named", "tuple"] {
            for (value, expected) in [(2.0, vec!["y", "sum"]), (-2.0, vec!["y"])] {
                let answer = begin(at, model, &[&[value]])?.answer()?;
                let outputs = answer.body["outputs"].as_array().ok_or("no outputs")?;
                let names: Vec<_> = outputs.iter().map(|output| &output["name"]).collect();
                assert_eq!(names, expected, "{engine:?} {model}");
            }
        }
        let failed = infer(at, "missing", &[&[1.0]])?.to_string();
        let expected = "model 'missing' did not return output 'y'";
        assert!(failed.contains(expected), "{failed}");
        triton.stop()?;
    }
    Ok(())
}

fn one<T>(value: T) -> pytriton::ndarray::Array1<T> {
    pytriton::ndarray::Array1::from_vec(vec![value])
}

#[test]
fn each_instance_has_its_own_function() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let functions = [10.0, 20.0, 30.0].map(|own| {
            Function::new(PerRequest, move |call| {
                // Long enough that all instances must share the work.
                std::thread::sleep(Duration::from_millis(50));
                Ok(&call.array::<f32, Ix2>("x")? * 0.0 + own)
            })
        });
        triton.bind(model("each").dynamic_batching(false), functions)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let mut seen = BTreeSet::new();
        while seen.len() < 3 {
            let asked: Vec<_> = (0..6).map(|_| begin(at, "each", &[&[1.0]])).collect();
            for asked in asked {
                let answer = asked?.answer()?;
                assert_eq!(answer.status, 200, "{engine:?} {answer:?}");
                seen.insert(answer.body["outputs"][0]["data"][0].to_string());
            }
        }
        assert_eq!(Vec::from_iter(seen), ["10.0", "20.0", "30.0"]);
    }
    Ok(())
}

#[test]
fn inputs_match_their_declaration() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let scaled = model("scaled")
            .input(Input::new::<f32>("by", [1]).first_value())
            .input(
                Input::new::<String>("note", [1])
                    .optional()
                    .first_value_of_any(),
            )
            .parameter("offset", "0.5");
        let calls = std::sync::Arc::new(AtomicU32::new(0));
        let counted = calls.clone();
        let function = Function::new(PerBatch, move |call| {
            counted.fetch_add(1, Ordering::Relaxed);
            let offset: f32 = call
                .context()
                .model()
                .parameter("offset")
                .ok_or("no offset")?
                .parse()?;
            let note = call.optional_scalar::<String>("note")?;
            let names: Vec<&str> = call.iter().map(|(name, _)| name).collect();
            assert_eq!(names.contains(&"note"), note.is_some());
            let longer = note.map_or(0.0, |note| note.len() as f32);
            Ok(&call.array::<f32, Ix2>("x")? * call.scalar::<f32>("by")? + offset + longer)
        });
        triton.bind(scaled, function)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let x = json!({"name": "x", "datatype": "FP32", "shape": [2, 1], "data": [1, 2]});
        let by = |one: f32, other: f32| json!({"name": "by", "datatype": "FP32", "shape": [2, 1], "data": [one, other]});
        let note =
            json!({"name": "note", "datatype": "BYTES", "shape": [2, 1], "data": ["abc", "other"]});
        let plain = infer_with(at, "scaled", &[x.clone(), by(3.0, 3.0)])?;
        assert_eq!(plain, json!([3.5, 6.5]));
        let noted = infer_with(at, "scaled", &[x.clone(), by(3.0, 3.0), note])?;
        assert_eq!(noted, json!([6.5, 9.5]));
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        let differing = infer_with(at, "scaled", &[x, by(3.0, 4.0)])?.to_string();
        assert!(
            differing.contains("must have one value for the whole batch"),
            "{engine:?} {differing}"
        );
    }
    Ok(())
}
