use pytriton_backend::Failure;
use pytriton_backend::ffi::{Batch, now};
use pytriton_backend::protocol::Parameter;
use pytriton_backend::session::TensorNames;
use pytriton_core::request::Response;
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::text::for_client;

use crate::backend_batch::{Results, code, parameter};

/// Sends the results of the requests at the given positions of a batch.
pub(super) fn respond(
    mut batch: Batch,
    positions: &[usize],
    results: Results,
    names: &TensorNames,
) {
    batch.computed(now());
    let mut dims = Vec::new();
    for (&index, result) in positions.iter().zip(results) {
        let result = result.map_err(|error| failure(&error));
        let responded =
            result.and_then(|response| pass_on(&mut batch, index, response, names, &mut dims));
        match responded {
            Ok(()) => batch.finish(index),
            Err(failure) => batch.fail(index, failure),
        }
    }
    batch.send();
}

/// Converts a response to Triton's.
pub(super) fn pass_on(
    batch: &mut Batch,
    index: usize,
    response: Response,
    names: &TensorNames,
    dims: &mut Vec<i64>,
) -> Result<(), Failure> {
    batch.begin(index)?;
    for (name, value) in response.parameters.iter() {
        match parameter(value) {
            Ok(value) => batch.parameter(index, name, value)?,
            Err(text) => batch.parameter(index, name, Parameter::String(&text))?,
        }
    }
    for (output, tensor) in response.outputs {
        let (name, datatype) = &names.outputs[output];
        dims.clear();
        let shape = tensor.shape().iter();
        dims.extend(shape.map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX)));
        batch.output(index, (name, *datatype), dims, tensor.data())?;
    }
    Ok(())
}

/// Converts an error to the failure that clients receive.
pub(super) fn failure(error: &SchedulerError) -> Failure {
    Failure::new(code(error.status()), for_client(error))
}
