use std::sync::Arc;

use crate::decorators::{SingleRows, single_rows};
use crate::model::ModelSpec;
use crate::request::{Few, Request, Response};
use crate::tensor::{Tensor, TensorError, shape_text, split, stack};

use super::{ModelError, Part};

/// What one call of a function returned.
#[derive(Debug)]
pub enum Returned {
    /// One tensor for each output, for all rows of the call.
    Call(Vec<Tensor>),
    /// The same for the groups of rows that steps have cut the call into.
    Parts(Vec<Part>),
    /// One entry for each request of the call.
    Each(Vec<Result<Vec<Tensor>, ModelError>>),
    /// The answers of a decoupled model have left already.
    Streamed,
}

/// Checks what a call returned and gives each request its rows.
pub(super) fn responses(
    spec: &ModelSpec,
    requests: &[Request],
    returned: Returned,
) -> Vec<Result<Response, ModelError>> {
    match returned {
        Returned::Call(tensors) if let [request] = requests => {
            let checked = check(spec, request.batch_size(), &tensors);
            vec![checked.map(|()| requested(request, tensors))]
        }
        Returned::Call(tensors) => match seams(spec, requests, &tensors) {
            Ok(responses) => responses,
            Err(error) => vec![Err(error); requests.len()],
        },
        Returned::Parts(mut parts) if parts.len() == 1 && parts[0].is_in_order() => {
            match parts.remove(0).outputs {
                Ok(tensors) => responses(spec, requests, Returned::Call(tensors)),
                Err(error) => vec![Err(error); requests.len()],
            }
        }
        Returned::Parts(parts) => joined(spec, requests, parts),
        Returned::Streamed => vec![Ok(Response::default()); requests.len()],
        Returned::Each(each) if each.len() != requests.len() => {
            let error = ModelError::ResponseCount {
                model: Arc::clone(&spec.name),
                expected: requests.len(),
                got: each.len(),
            };
            vec![Err(error); requests.len()]
        }
        Returned::Each(each) => each
            .into_iter()
            .zip(requests)
            .map(|(tensors, request)| {
                let tensors = tensors?;
                check(spec, request.batch_size(), &tensors)?;
                Ok(requested(request, tensors))
            })
            .collect(),
    }
}

/// The same of one answer to all requests, which fails as a whole.
pub(super) fn answers(
    spec: &ModelSpec,
    requests: &[Request],
    returned: Returned,
) -> Result<Few<Response>, ModelError> {
    match (requests, returned) {
        ([request], Returned::Call(tensors)) => {
            check(spec, request.batch_size(), &tensors)?;
            Ok(Few::repeat(requested(request, tensors), 1))
        }
        (requests, returned) => responses(spec, requests, returned).into_iter().collect(),
    }
}

fn requested(request: &Request, tensors: impl IntoIterator<Item = Tensor>) -> Response {
    let outputs = tensors.into_iter().enumerate();
    Response::new(
        outputs
            .filter(|(index, _)| request.asks_for(*index))
            .collect(),
    )
}

/// Cuts the outputs of a call at the seams between its requests.
fn seams(
    spec: &ModelSpec,
    requests: &[Request],
    tensors: &[Tensor],
) -> Result<Vec<Result<Response, ModelError>>, ModelError> {
    let rows = requests.iter().map(|request| request.batch_size());
    let rows: Vec<usize> = rows.collect();
    check(spec, rows.iter().sum(), tensors)?;
    let mut outputs = Vec::with_capacity(tensors.len());
    for (index, tensor) in tensors.iter().enumerate() {
        let parts = split(tensor, &rows).map_err(|source| output_error(spec, index, source))?;
        outputs.push(parts.into_iter());
    }
    let mut response = |request| {
        let parts = outputs.iter_mut().filter_map(Iterator::next);
        Ok(requested(request, parts))
    };
    Ok(requests.iter().map(&mut response).collect())
}

/// Gives each request its rows out of the groups in which they were answered.
fn joined(
    spec: &ModelSpec,
    requests: &[Request],
    parts: Vec<Part>,
) -> Vec<Result<Response, ModelError>> {
    let rows = parts.iter().map(|part| part.rows.len()).sum();
    let mut place = vec![(0, 0); rows];
    for (index, part) in parts.iter().enumerate() {
        for (at, &row) in part.rows.iter().enumerate() {
            place[row] = (index, at);
        }
    }
    let parts = parts.into_iter().map(|part| {
        let outputs = part.outputs?;
        check(spec, part.rows.len(), &outputs)?;
        let outputs = outputs.iter().enumerate();
        let outputs = outputs.map(|(index, output)| {
            single_rows(output).map_err(|source| output_error(spec, index, source))
        });
        outputs.collect::<Result<Vec<_>, _>>()
    });
    let parts: Vec<Result<Vec<SingleRows>, ModelError>> = parts.collect();
    let mut places = place.into_iter();
    let responses = requests.iter().map(|request| {
        let own: Vec<(usize, usize)> = places.by_ref().take(request.batch_size()).collect();
        if own.is_empty() {
            let part = parts.iter().find_map(|part| part.as_ref().ok());
            let outputs = part.into_iter().flatten().map(|rows| rows.none().clone());
            return Ok(requested(request, outputs));
        }
        let mut outputs: Vec<Vec<&Tensor>> =
            vec![Vec::with_capacity(own.len()); spec.outputs.len()];
        for (part, at) in own {
            let part = parts[part].as_ref().map_err(Clone::clone)?;
            for (rows, output) in outputs.iter_mut().zip(part) {
                rows.extend(output.get(at));
            }
        }
        let outputs = outputs
            .iter()
            .enumerate()
            .map(|(index, rows)| stack(rows).map_err(|source| output_error(spec, index, source)));
        Ok(requested(request, outputs.collect::<Result<Vec<_>, _>>()?))
    });
    responses.collect()
}

fn output_error(spec: &ModelSpec, output: usize, source: TensorError) -> ModelError {
    ModelError::Output {
        model: Arc::clone(&spec.name),
        output: Arc::clone(&spec.outputs[output].name),
        source,
    }
}

/// Compares outputs with what the model declares: number and types, rows, then the other dims.
pub(super) fn check(spec: &ModelSpec, rows: usize, tensors: &[Tensor]) -> Result<(), ModelError> {
    if tensors.len() != spec.outputs.len() {
        return Err(ModelError::OutputCount {
            model: Arc::clone(&spec.name),
            expected: spec.outputs.len(),
            got: tensors.len(),
        });
    }
    for (tensor, output) in tensors.iter().zip(&spec.outputs) {
        if tensor.datatype() != output.datatype {
            return Err(ModelError::OutputDataType {
                model: Arc::clone(&spec.name),
                output: Arc::clone(&output.name),
                expected: output.datatype,
                got: tensor.datatype(),
            });
        }
        let rank = output.dims.len() + 1;
        if spec.batching() && tensor.shape().len() == rank && tensor.rows() != rows {
            return Err(ModelError::Rows {
                model: Arc::clone(&spec.name),
                output: Arc::clone(&output.name),
                expected: rows,
                got: tensor.rows(),
            });
        }
        if !spec.fits(output, tensor.shape()) {
            return Err(ModelError::OutputShape {
                model: Arc::clone(&spec.name),
                output: Arc::clone(&output.name),
                expected: shape_text(&spec.client_dims(output)),
                got: shape_text(tensor.shape()),
            });
        }
    }
    Ok(())
}
