use std::collections::BTreeSet;
use std::sync::Arc;

use crate::decorators::{SingleRows, StepError, single_rows};
use crate::memory_budget::MemoryBudget;
use crate::model::ModelSpec;
use crate::request::{Parameters, Request, Response, SmallVec};
use crate::tensor::{TensorError, shape_text};
use crate::tracked_tensor::{StackError, TrackedTensor};

use super::shared_error::SharedError;
use super::{ModelError, ResponseParts, RowFailure, RowGroup};

/// The return value of one call of the function. The memory of its outputs is reserved.
#[derive(Debug)]
pub enum Returned {
    /// The outputs of all rows of the call.
    Call(ResponseParts),
    /// The outputs of groups of rows into which steps have split the call.
    RowGroups(Vec<RowGroup>),
    /// One entry for each request of the call.
    Each(Vec<Result<ResponseParts, ModelError>>),
    /// The responses of a decoupled model, which have been sent already.
    Streamed,
}

impl Returned {
    /// Returns whether the inputs of a request are the cause of an error: they are invalid, or
    /// their memory cannot be reserved. Only for a function that has not been called, because the
    /// memory of its outputs is reserved, too.
    pub(super) fn is_refused(returned: &Result<Self, ModelError>) -> bool {
        match returned {
            Err(error) => is_of_request(error),
            Ok(returned) => returned.errors().any(is_of_request),
        }
    }

    /// Returns the errors of the groups of rows that have failed.
    pub(super) fn errors(&self) -> impl Iterator<Item = &ModelError> {
        let groups = match self {
            Self::RowGroups(groups) => groups.as_slice(),
            _ => &[],
        };
        let groups = groups.iter();
        groups.filter_map(|group| group.outputs.as_ref().err())
    }
}

/// Returns whether the inputs of one request may be the cause.
fn is_of_request(error: &ModelError) -> bool {
    let of_inputs = matches!(
        error,
        ModelError::Input(_) | ModelError::Budget(_) | ModelError::Step(StepError::Budget(_))
    );
    of_inputs || error.is_of_client()
}

/// Checks the return value of a call and splits it into responses.
pub(super) fn responses(
    spec: &ModelSpec,
    requests: &[Request],
    returned: Returned,
    budget: Option<&Arc<MemoryBudget>>,
) -> SmallVec<Result<Response, ModelError>> {
    match returned {
        Returned::Call(parts) => split_call(spec, requests, parts),
        Returned::RowGroups(mut groups) if groups.len() == 1 && groups[0].is_in_order() => {
            match groups.remove(0).into_parts() {
                Ok(parts) => split_call(spec, requests, parts),
                Err(error) => SharedError::new(spec, error, requests.len()).results(),
            }
        }
        Returned::RowGroups(groups) => join_groups(spec, requests, groups, budget),
        Returned::Streamed => SmallVec::repeat(Ok(Response::default()), requests.len()),
        Returned::Each(each) if each.len() != requests.len() => {
            let error = ModelError::ResponseCount {
                model: Arc::clone(&spec.name),
                expected: requests.len(),
                got: each.len(),
            };
            SharedError::new(spec, error, requests.len()).results()
        }
        Returned::Each(each) => each
            .into_iter()
            .zip(requests)
            .map(|(parts, request)| only(spec, request, parts?))
            .collect(),
    }
}

/// Like [`responses`], for one streamed response to all requests.
///
/// # Errors
///
/// Returns the error of a response that is invalid for all requests.
pub(super) fn streamed_responses(
    spec: &ModelSpec,
    requests: &[Request],
    parts: ResponseParts,
) -> Result<SmallVec<Result<Response, ModelError>>, ModelError> {
    match requests {
        [request] => Ok(SmallVec::one(Ok(only(spec, request, parts)?))),
        _ => split_rows(spec, requests, &parts),
    }
}

/// Creates the responses of a call that has returned the outputs of all rows.
fn split_call(
    spec: &ModelSpec,
    requests: &[Request],
    parts: ResponseParts,
) -> SmallVec<Result<Response, ModelError>> {
    match requests {
        [request] => SmallVec::one(only(spec, request, parts)),
        _ => split_rows(spec, requests, &parts)
            .unwrap_or_else(|error| SharedError::new(spec, error, requests.len()).results()),
    }
}

/// Creates the response of a call with one request.
fn only(spec: &ModelSpec, request: &Request, parts: ResponseParts) -> Result<Response, ModelError> {
    check(spec, request.batch_size(), &parts.tensors)?;
    RowFailure::find(&parts.failures, request, 0..request.batch_size())?;
    Ok(requested(request, parts.tensors, parts.parameters))
}

fn requested(
    request: &Request,
    tensors: SmallVec<Option<TrackedTensor>>,
    parameters: Parameters,
) -> Response {
    Response::with_parameters(request.select_outputs(tensors), parameters)
}

/// Splits the outputs of a call by request.
fn split_rows(
    spec: &ModelSpec,
    requests: &[Request],
    parts: &ResponseParts,
) -> Result<SmallVec<Result<Response, ModelError>>, ModelError> {
    let tensors = &parts.tensors;
    let rows = requests.iter().map(|request| request.batch_size());
    let rows: Vec<usize> = rows.collect();
    check(spec, rows.iter().sum(), tensors)?;
    let mut outputs = Vec::with_capacity(tensors.len());
    for (index, tensor) in tensors.iter().enumerate() {
        let pieces = tensor.as_ref().map(|tensor| tensor.split(&rows));
        let pieces = pieces.transpose();
        let pieces = pieces.map_err(|source| output_error(spec, index, source))?;
        outputs.push(pieces.map(Vec::into_iter));
    }
    let mut row = 0;
    let mut response = |request: &Request| {
        let rows = row..row + request.batch_size();
        row = rows.end;
        let tensors = outputs.iter_mut().map(|pieces| pieces.as_mut()?.next());
        let tensors: SmallVec<Option<TrackedTensor>> = tensors.collect();
        RowFailure::find(&parts.failures, request, rows)?;
        Ok(requested(request, tensors, parts.parameters.clone()))
    };
    Ok(requests.iter().map(&mut response).collect())
}

/// Assembles the responses from the groups that contain their rows.
fn join_groups(
    spec: &ModelSpec,
    requests: &[Request],
    groups: Vec<RowGroup>,
    budget: Option<&Arc<MemoryBudget>>,
) -> SmallVec<Result<Response, ModelError>> {
    let rows = groups.iter().map(|group| group.rows.len()).sum();
    let mut place = vec![(0, 0); rows];
    let mut failures: Vec<RowFailure> = groups.iter().flat_map(batch_failures).collect();
    RowFailure::sort(&mut failures);
    for (index, group) in groups.iter().enumerate() {
        for (at, &row) in group.rows.iter().enumerate() {
            place[row] = (index, at);
        }
    }
    let ends = requests.iter().scan(0, |end, request| {
        *end += request.batch_size();
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    let groups = groups.into_iter().map(|group| {
        let outputs = group.outputs.map_err(|error| {
            let request = |row: &usize| ends.partition_point(|end| end <= row);
            let of: BTreeSet<usize> = group.rows.iter().map(request).collect();
            SharedError::new(spec, error, of.len()).into_inner()
        })?;
        check(spec, group.rows.len(), &outputs)?;
        let outputs = outputs.iter().enumerate();
        let outputs = outputs.map(|(index, output)| {
            let rows = output.as_ref().map(single_rows).transpose();
            rows.map_err(|source| output_error(spec, index, source))
        });
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        Ok((outputs, group.parameters))
    });
    type Group = (Vec<Option<SingleRows>>, Parameters);
    let groups: Vec<Result<Group, ModelError>> = groups.collect();
    let mut places = place.into_iter();
    let mut row = 0;
    let responses = requests.iter().map(|request| {
        let own: Vec<(usize, usize)> = places.by_ref().take(request.batch_size()).collect();
        let count = own.len();
        let rows = row..row + count;
        row = rows.end;
        RowFailure::find(&failures, request, rows)?;
        if own.is_empty() {
            let group = groups.iter().find_map(|group| group.as_ref().ok());
            let outputs = group.into_iter().flat_map(|(rows, _)| rows);
            let outputs = outputs.map(|rows| Some(rows.as_ref()?.none().clone()));
            let outputs = outputs.collect();
            return Ok(requested(request, outputs, Parameters::default()));
        }
        let mut outputs: Vec<Vec<&TrackedTensor>> =
            vec![Vec::with_capacity(own.len()); spec.outputs.len()];
        let mut parameters = Parameters::default();
        for (index, at) in own {
            let (group, shared) = groups[index].as_ref().map_err(Clone::clone)?;
            parameters.extend(shared.clone());
            for (rows, output) in outputs.iter_mut().zip(group) {
                rows.extend(output.as_ref().and_then(|output| output.get(at)));
            }
        }
        let outputs = outputs.iter().enumerate().map(|(index, rows)| {
            match rows.len() {
                0 => return Ok(None),
                found if found == count => {}
                _ if request.asks_for(index) => return Err(partial_output(spec, index)),
                _ => return Ok(None),
            }
            let stacked = TrackedTensor::stack(rows.iter().copied(), budget);
            stacked.map(Some).map_err(|error| match error {
                StackError::Budget(error) => ModelError::Budget(error),
                StackError::Tensor(source) => output_error(spec, index, source),
            })
        });
        let outputs = outputs.collect::<Result<_, _>>()?;
        Ok(requested(request, outputs, parameters))
    });
    responses.collect()
}

/// Returns the rows of the batch that cannot be sent.
fn batch_failures(group: &RowGroup) -> impl Iterator<Item = RowFailure> {
    let failures = group.failures.iter();
    failures.filter_map(|failure| {
        let row = *group.rows.get(failure.row)?;
        Some(failure.clone().at(row))
    })
}

fn partial_output(spec: &ModelSpec, output: usize) -> ModelError {
    ModelError::PartialOutput {
        model: Arc::clone(&spec.name),
        output: Arc::clone(&spec.outputs[output].name),
    }
}

fn output_error(spec: &ModelSpec, output: usize, source: TensorError) -> ModelError {
    ModelError::Output {
        model: Arc::clone(&spec.name),
        output: Arc::clone(&spec.outputs[output].name),
        source,
    }
}

/// Compares outputs with the model's declaration: number, omissions, types, rows, then other dims.
pub(super) fn check(
    spec: &ModelSpec,
    rows: usize,
    tensors: &[Option<TrackedTensor>],
) -> Result<(), ModelError> {
    if tensors.len() != spec.outputs.len() {
        return Err(ModelError::OutputCount {
            model: Arc::clone(&spec.name),
            expected: spec.outputs.len(),
            got: tensors.len(),
        });
    }
    for (tensor, output) in tensors.iter().zip(&spec.outputs) {
        let Some(tensor) = tensor else {
            if output.optional {
                continue;
            }
            return Err(ModelError::MissingOutput {
                model: Arc::clone(&spec.name),
                output: Arc::clone(&output.name),
            });
        };
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

#[cfg(test)]
#[path = "returned_tests.rs"]
mod tests;
