//! Labels of output elements, on both engines.

use pytriton::ndarray::Ix2;
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
use pytriton_tests::Engine;
use serde_json::json;

use crate::http::send;
use crate::{Result, triton};

#[test]
fn classes_have_their_labels() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let model = Model::new("pets")
            .input(Input::new::<f32>("x", [4]))
            .output(Output::new::<f32>("y", [4]).labels("cat\r\ndog\n\nfish and chips"));
        let function = Function::new(PerBatch, |call| {
            Ok(call.array::<f32, Ix2>("x")?.into_owned())
        });
        triton.bind(model, function)?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let body = json!({
            "inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 3, 2, 4]}],
            "outputs": [{"name": "y", "parameters": {"classification": 4}}],
        });
        let path = "/v2/models/pets/infer";
        let answer = send(at, "POST", path, &body.to_string())?.answer()?.body;
        let expected = [
            "4.000000:3:fish and chips",
            "3.000000:1:dog",
            "2.000000:2",
            "1.000000:0:cat",
        ];
        assert_eq!(answer["outputs"][0]["data"], json!(expected), "{engine:?}");
    }
    Ok(())
}
