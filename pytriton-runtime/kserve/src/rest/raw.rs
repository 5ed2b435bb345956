use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use pytriton_core::model::{ModelSpec, TensorSpec};
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::request::{InferInput, InferRequest, RequestId};
use pytriton_protocol::tensor::{DataType, element_count, push_bytes_element};

use crate::error::CodecError;

use super::ResponseFormat;

/// Decodes a body without JSON as the only input of its model. The outputs are binary data. The
/// reservation of the body covers the request afterwards.
///
/// Source: `EVBufferToRawInput` and `InferenceRequest::Normalize` in Triton 2.51.
///
/// # Errors
///
/// Returns a [`CodecError`] if the model has several inputs, or if the size of the body does not
/// determine the shape.
pub fn decode_raw_request(
    body: ReceivedBody,
    model: &ModelSpec,
) -> Result<(InferRequest, ResponseFormat), CodecError> {
    let [input] = model.inputs.as_slice() else {
        return Err(CodecError::RawInputs {
            request: RequestId(String::new()),
            model: Arc::clone(&model.name),
            inputs: model.inputs.len(),
        });
    };
    let (body, mut request) = body.into_request();
    let data = match input.datatype {
        DataType::Bytes => {
            request.memory.grow(size_of::<u32>() + body.len())?;
            one_string(input, &body)?
        }
        _ => body,
    };
    let batch_axis = model.batching().then_some(1);
    let dims = deduce(input, data.len())?;
    request.inputs = vec![InferInput {
        name: input.name.to_string(),
        datatype: input.datatype,
        shape: batch_axis.into_iter().chain(dims).collect(),
        data,
    }];
    let format = ResponseFormat::new(model, "", &[], true, None, &request.memory)?;
    Ok((request, format))
}

/// Returns the dims of the input. The only variable one is computed from the size. A mismatch is
/// reported when the request is checked.
fn deduce(input: &TensorSpec, byte_size: usize) -> Result<Vec<i64>, CodecError> {
    let mut open = input.dims.iter().filter(|dim| **dim < 0);
    open.next();
    if open.next().is_some() {
        return Err(CodecError::RawShape {
            request: RequestId(String::new()),
            input: Arc::clone(&input.name),
        });
    }
    let sizes: Vec<usize> = input
        .dims
        .iter()
        .filter_map(|&dim| dim.try_into().ok())
        .collect();
    let row = element_count(&sizes)
        .unwrap_or_default()
        .saturating_mul(input.datatype.size().unwrap_or(1));
    let rows = byte_size.checked_div(row).unwrap_or_default();
    let fit = |dim: i64| {
        if dim < 0 {
            i64::try_from(rows).unwrap_or(i64::MAX)
        } else {
            dim
        }
    };
    Ok(input.dims.iter().copied().map(fit).collect())
}

fn one_string(input: &TensorSpec, body: &[u8]) -> Result<Bytes, CodecError> {
    if input.dims.iter().any(|dim| *dim != 1) {
        return Err(CodecError::RawBytes {
            request: RequestId(String::new()),
            input: Arc::clone(&input.name),
        });
    }
    let mut data = BytesMut::with_capacity(size_of::<u32>() + body.len());
    push_bytes_element(&mut data, 0, body).map_err(|source| CodecError::Data {
        input: input.name.to_owned().to_string(),
        source,
    })?;
    Ok(data.freeze())
}

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryPermit;
    use pytriton_core::testing::IDENTITY;

    use super::*;

    fn tensor(datatype: DataType, dims: &[i64]) -> TensorSpec {
        TensorSpec::new("x", datatype, dims)
    }

    #[test]
    fn shape_is_derived_from_the_size() {
        let number = |dims: &[i64]| vec![tensor(DataType::Fp32, dims)];
        let string = |dims: &[i64]| vec![tensor(DataType::Bytes, dims)];
        let unknown = "[request id: <id_unknown>] ";
        let table = [
            (number(&[-1]), "[1, 4]".to_owned()),
            (number(&[2, -1]), "[1, 2, 2]".to_owned()),
            (number(&[3]), "[1, 3]".to_owned()),
            (number(&[0, -1]), "[1, 0, 0]".to_owned()),
            (string(&[1]), "[1, 1]".to_owned()),
            (
                string(&[-1]),
                format!(
                    "{unknown}For BYTE datatype raw input 'x', the model must have input shape [1]"
                ),
            ),
            (
                number(&[-1, -1]),
                format!(
                    "{unknown}The shape of the raw input 'x' can not be deduced because there are more than one variable-sized dimension"
                ),
            ),
            (
                [number(&[1]), number(&[1])].concat(),
                format!(
                    "{unknown}Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in 'Identity' model configuration"
                ),
            ),
        ];
        for (inputs, expected) in table {
            let mut model = IDENTITY.spec().unwrap();
            model.inputs = inputs;
            let body = Bytes::from_static(&[0; 16]);
            let body = ReceivedBody::new(body, MemoryPermit::unlimited()).unwrap();
            let got = match decode_raw_request(body, &model) {
                Ok((request, _)) => format!("{:?}", request.inputs[0].shape),
                Err(error) => error.to_string(),
            };
            assert_eq!(got, expected);
        }
    }
}
