//! The result of a function must match its model, or the error names the difference.

use pytriton::ndarray::{Array2, Ix2};
use pytriton::runtime_models::{Function, Named, PerBatch, Raw};
use pytriton::testing;
use serde_json::json;

use crate::http::{begin, infer};
use crate::{Result, model};

fn two() -> Array2<f32> {
    Array2::zeros((2, 1))
}

#[test]
fn invalid_outputs_are_reported() -> Result<()> {
    let table = [
        (
            Function::new(PerBatch, |_| Ok((two(), two()))),
            "model 'wrong' returned 2 outputs, expected 1",
        ),
        (
            Function::new(PerBatch, |_| Ok(two().mapv(f64::from))),
            "output 'y' of model 'wrong' is FP64, expected FP32",
        ),
        (
            Function::new(PerBatch, |_| Ok(Array2::<f32>::zeros((3, 1)))),
            "output 'y' of model 'wrong' has 3 rows, expected 2: one for each row of the batch",
        ),
        (
            Function::new(PerBatch, |_| Ok(pytriton::ndarray::Array1::<f32>::zeros(2))),
            "output 'y' of model 'wrong' has shape [2], expected [-1,-1]",
        ),
        (
            Function::new(PerBatch, |_| Ok(Named::new().with("z", two()))),
            "model 'wrong' did not return output 'y'",
        ),
        (
            Function::new(PerBatch, |_| {
                Ok(Named::new().with("y", two()).with("z", two()))
            }),
            "model 'wrong' returned 'z', which is not one of its outputs",
        ),
        (
            Function::new(PerBatch, |call| {
                Ok(call.array::<f32, Ix2>("z")?.into_owned())
            }),
            "model 'wrong' has no input 'z'",
        ),
        (
            Function::new(PerBatch, |call| {
                Ok(call.array::<f64, Ix2>("x")?.into_owned())
            }),
            "the function of model 'wrong' requested input 'x': expected FP64, found FP32",
        ),
        (
            Function::new(PerBatch, |call| {
                let wish = call.parameters()?.len();
                Ok(two() * wish as f32)
            }),
            "model 'wrong' reads the parameters of a batch",
        ),
        (
            Function::new(PerBatch, |_| {
                let number: f32 = "a lot".parse()?;
                Ok(two() * number)
            }),
            "model 'wrong' failed: invalid float literal",
        ),
        (
            Function::new(Raw, |_| Ok(vec![Ok(two()), Ok(two())])),
            "model 'wrong' returned 2 responses for 1 requests",
        ),
    ];
    for (function, expected) in table {
        let served = testing::serve(model("wrong"), function)?;
        let answer = begin(served.http(), "wrong", &[&[1.0], &[2.0]])?.answer()?;
        let error = answer.body["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains(expected), "{error}\n{expected}");
        assert_eq!(answer.status, 500, "{answer:?}");
    }
    Ok(())
}

#[test]
fn requests_with_different_parameters_are_called_separately() -> Result<()> {
    let function = Function::new(PerBatch, |call| {
        let times = call.parameters()?.int("times").unwrap_or(1);
        Ok(&call.array::<f32, Ix2>("x")? * times as f32)
    });
    let served = testing::serve(model("times").by_parameters(), function)?;
    assert_eq!(infer(served.http(), "times", &[&[2.0]])?, json!([2.0]));
    let body = json!({
        "inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [2]}],
        "parameters": {"times": 3},
    });
    let asked = crate::http::send(
        served.http(),
        "POST",
        "/v2/models/times/infer",
        &body.to_string(),
    )?;
    assert_eq!(asked.answer()?.body["outputs"][0]["data"], json!([6.0]));
    Ok(())
}
