use std::sync::Arc;

use bytes::Bytes;
use pytriton_backend::wire::{Batch, BatchRequest, Parameter, Region};

use crate::model::{
    CallMode, InferRequest, ModelError, ModelSpec, ParameterValue, Parameters, Request,
};
use crate::tensor::{Tensor, TensorError, shape_text, stack_in_place};

/// Requests whose tensors lie in the memory where Triton's backend has gathered them.
#[derive(Debug)]
pub(crate) struct Handover {
    pub(crate) requests: Vec<Request>,
    /// For each input of the model, all requests' rows as one tensor; empty where the function wants no such thing.
    pub(crate) stacked: Vec<Option<Tensor>>,
}

/// Turns a description and the bytes of its tensors into requests.
///
/// tritonserver has checked them against the model's configuration; what is checked here is that bytes, shapes and rows
/// go together, so that a configuration that is not the model's is an error and nothing worse.
pub(crate) fn handover(
    spec: &Arc<ModelSpec>,
    batch: &Batch<'_>,
    data: &Bytes,
) -> Result<Handover, ModelError> {
    let requests = batch.requests.iter();
    let requests = requests.map(|described| request(spec, described, data));
    let requests = requests.collect::<Result<Vec<_>, _>>()?;
    let alike = requests
        .windows(2)
        .all(|pair| pair[0].stacks_with(&pair[1]));
    let stacked = match spec.call {
        CallMode::Batch if requests.len() > 1 && alike => stacked(spec, batch, &requests, data)?,
        _ => Vec::new(),
    };
    Ok(Handover { requests, stacked })
}

fn request(
    spec: &Arc<ModelSpec>,
    described: &BatchRequest<'_>,
    data: &Bytes,
) -> Result<Request, ModelError> {
    let mut inputs = vec![None; spec.inputs.len()];
    let mut batch_size = None;
    for part in &described.inputs {
        let error = |source| input_error(spec, part.input, source);
        let datatype = spec.inputs[part.input].datatype;
        let rows = match (spec.batching(), part.dims.first()) {
            (false, _) => 1,
            (true, Some(&rows)) => rows,
            (true, None) => return Err(error(no_batch_axis(&part.dims))),
        };
        if *batch_size.get_or_insert(rows) != rows {
            return Err(error(no_batch_axis(&part.dims)));
        }
        let bytes = slice(data, part.region);
        let tensor = Tensor::new(datatype, part.dims.clone(), bytes).map_err(error)?;
        inputs[part.input] = Some(tensor);
    }
    let mut requested = vec![described.outputs.is_empty(); spec.outputs.len()];
    for &output in &described.outputs {
        requested[output] = true;
    }
    let head = InferRequest {
        id: described.id.to_owned(),
        parameters: parameters(described),
        timeout_microseconds: described.timeout,
        ..InferRequest::default()
    };
    let batch_size = batch_size.unwrap_or(1);
    Ok(Request::gathered(spec, head, inputs, requested, batch_size))
}

fn parameters(described: &BatchRequest<'_>) -> Parameters {
    let mut parameters = Parameters::default();
    for &(name, value) in &described.parameters {
        let value = match value {
            Parameter::String(text) => ParameterValue::String(text.to_owned()),
            Parameter::Int64(value) => ParameterValue::Int64(value),
            Parameter::Bool(value) => ParameterValue::Bool(value),
            Parameter::Double(value) => ParameterValue::Double(value),
        };
        parameters.insert(name, value);
    }
    parameters
}

/// All rows of each input: they lie one behind the other.
fn stacked(
    spec: &ModelSpec,
    batch: &Batch<'_>,
    requests: &[Request],
    data: &Bytes,
) -> Result<Vec<Option<Tensor>>, ModelError> {
    let inputs = spec.inputs.iter().zip(&batch.regions).enumerate();
    let stacked = inputs.map(|(index, (input, &region))| {
        let parts = requests.iter().map(|request| request.tensor(input.name));
        let Some(parts) = parts.collect::<Option<Vec<&Tensor>>>() else {
            return Ok(None);
        };
        stack_in_place(&parts, &slice(data, region))
            .map(Some)
            .map_err(|source| input_error(spec, index, source))
    });
    stacked.collect()
}

/// Bytes that lie in the data, which the description's reader has made sure of.
fn slice(data: &Bytes, region: Region) -> Bytes {
    data.slice(region.offset..region.offset + region.len)
}

fn no_batch_axis(dims: &[usize]) -> TensorError {
    TensorError::Rank {
        expected: dims.len().max(1),
        shape: shape_text(dims),
    }
}

fn input_error(spec: &ModelSpec, input: usize, source: TensorError) -> ModelError {
    let (model, input) = (spec.name, spec.inputs[input].name);
    match source {
        TensorError::TruncatedElement {
            length, available, ..
        } => ModelError::InputElement {
            input,
            length,
            available,
        },
        source => ModelError::Input {
            model,
            input,
            source,
        },
    }
}

#[cfg(test)]
mod tests {
    use pytriton_backend::channel::place;
    use pytriton_backend::wire::BatchWriter;

    use super::*;
    use crate::testing::{IDENTITY, fp32};

    /// Describes requests of rows of one column.
    fn described(rows: &[&[f32]]) -> (Vec<u8>, Bytes) {
        let mut description = Vec::new();
        let mut writer = BatchWriter::new(&mut description, 1, rows.len());
        for (index, rows) in rows.iter().enumerate() {
            writer.request(&index.to_string(), 7);
            writer.count(1);
            writer.parameter("beams", Parameter::Int64(4));
            writer.count(1);
            writer.output(0);
            writer.count(1);
            writer.input(0, rows.len() * 4, &[i64::try_from(rows.len()).unwrap(), 1]);
        }
        let data = fp32(&rows.concat());
        let mut used = 0;
        let offset = place(&mut used, data.len()).unwrap();
        let len = data.len();
        writer.region(0, Region { offset, len });
        (description, data)
    }

    #[test]
    fn gathered_rows_are_both_requests_and_one_tensor_without_a_copy() {
        let spec = Arc::new(ModelSpec::new(&IDENTITY).unwrap());
        let (description, data) = described(&[&[1.0, 2.0], &[3.0]]);
        let batch = Batch::read(&description, data.len(), 1, 1).unwrap();
        let Handover { requests, stacked } = handover(&spec, &batch, &data).unwrap();
        assert_eq!(requests[0].id(), "0");
        assert_eq!(requests[0].parameters().int("beams"), Some(4));
        assert_eq!(requests[0].timeout_microseconds(), 7);
        assert_eq!(requests[1].batch_size(), 1);
        let last = requests[1].tensor("INPUT_1").unwrap();
        assert_eq!(last.elements::<f32>().unwrap(), vec![3.0]);
        let whole = stacked[0].as_ref().unwrap();
        assert_eq!(whole.shape(), [3, 1]);
        assert_eq!(whole.data().as_ptr(), data.as_ptr());
    }

    #[test]
    fn a_string_that_is_cut_off_is_told_as_the_embedded_engine_tells_it() {
        let spec = ModelSpec::new(&IDENTITY).unwrap();
        let source = TensorError::TruncatedElement {
            index: 2,
            length: 3,
            available: 1,
        };
        let expected = "incomplete string data for inference input 'INPUT_1', expecting string of length 3 but only 1 bytes available";
        assert_eq!(input_error(&spec, 0, source).to_string(), expected);
    }

    #[test]
    fn a_shape_that_is_not_its_bytes_is_refused() {
        let spec = Arc::new(ModelSpec::new(&IDENTITY).unwrap());
        for (dims, len) in [(&[2, 1][..], 4), (&[1, 2], 4), (&[], 4), (&[1, 1], 8)] {
            let mut description = Vec::new();
            let mut writer = BatchWriter::new(&mut description, 1, 1);
            writer.request("", 0);
            writer.count(0);
            writer.count(0);
            writer.count(1);
            writer.input(0, len, dims);
            writer.region(0, Region { offset: 0, len });
            let data = Bytes::from(vec![0; len]);
            let batch = Batch::read(&description, len, 1, 1).unwrap();
            assert!(handover(&spec, &batch, &data).is_err(), "{dims:?} {len}");
        }
    }
}
