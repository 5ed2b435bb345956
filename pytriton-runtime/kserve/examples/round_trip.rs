//! Decodes an inference request in JSON, doubles its elements and encodes the response.
//!
//! `cargo run -p pytriton-kserve --example round_trip`, or with a body of your own:
//! `cargo run -p pytriton-kserve --example round_trip -- '{"inputs": …}'`.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::model::ModelSpec;
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::request::{Request, Response, SmallVec};
use pytriton_core::runtime_models::{Function, Input, Model, Output, PerBatch};
use pytriton_core::shared_memory::Regions;
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_kserve::{EncodedResponse, ResponseWriter, decode_request};
use pytriton_protocol::tensor::Tensor;

/// The memory for the body, the request and the response.
const BUDGET_BYTES: usize = 1 << 20;

/// The maximum nesting of arrays in the body.
const MAX_DEPTH: usize = 16;

const BODY: &str = r#"{
    "id": "7",
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [2, 2], "data": [[1, 2], [3.5, 4]]}]
}"#;

/// Describes a model with one input and one output of any number of columns.
fn model() -> Result<Arc<ModelSpec>, Box<dyn Error>> {
    let model = Model::new("Double")
        .max_batch_size(8)
        .input(Input::new::<f32>("x", [-1]))
        .output(Output::new::<f32>("y", [-1]));
    // The example needs only the description.
    let function = Function::new(PerBatch, |_| Ok(Vec::new()));
    Ok(model.registration(&function)?.spec)
}

fn double(request: &Request, budget: &Arc<MemoryBudget>) -> Result<Response, Box<dyn Error>> {
    let x = request.array::<f32>("x")?.ok_or("'x' is required")?;
    let y = Tensor::from_array(x.mapv(|element| 2.0 * element))?;
    let y = TrackedTensor::reserved(y, Some(budget))?;
    Ok(Response::new(SmallVec::one((0, y))))
}

fn respond(body: String) -> Result<EncodedResponse, Box<dyn Error>> {
    let model = model()?;
    let budget = MemoryBudget::new(BUDGET_BYTES);
    let body = ReceivedBody::new(Bytes::from(body), budget.empty_permit())?;
    let (length, regions) = (body.len(), Regions::default());
    let (request, format) = decode_request(body, length, &model, MAX_DEPTH, &regions)?;
    let request = Request::check(&model, request)?;
    let response = double(&request, &budget)?;
    let writer = ResponseWriter::new(&model);
    Ok(writer.write(&format, &response, budget.empty_permit())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let body = env::args().nth(1).unwrap_or_else(|| BODY.to_owned());
    let response = respond(body)?;
    for part in response.parts() {
        io::stdout().write_all(part)?;
    }
    Ok(())
}
