use std::collections::HashSet;
use std::sync::Arc;

use crate::memory_budget::MemoryPermit;
use crate::model::ModelSpec;
use crate::tensor::{BytesElements, DataType, Dims, TensorError, element_count, shape_text};
use crate::text::excerpt;
use crate::tracked_tensor::TrackedTensor;

use super::elements::check_elements;
use super::request::Checked;
use super::{
    Identity, InferInput, InferRequest, Parameters, Request, RequestError, RequestId, Requested,
    RequestedOutput, SmallVec,
};

/// Up to this number of inputs, comparing them pairwise is faster than hashing.
const LINEAR_SEARCH_LIMIT: usize = 16;

/// The maximum number of names in a message.
const SHOWN: usize = 32;

/// Triton's hint for a shape with a missing or extra batch axis.
const BATCH_AXIS_NOTE: &str = "NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to each input shape. If you want to specify the full shape including the batch dim in your input dims config, try setting max_batch_size to zero. See the model configuration docs for more info on max_batch_size.";

impl Request {
    /// Checks a request against its model, in Triton's order and with Triton's messages.
    ///
    /// If several inputs are wrong, the error names the last of them: Triton keeps the inputs in a
    /// hash table, whose order is that of the last insertion, except for collisions.
    ///
    /// Source: `InferenceRequest::Normalize` in Triton 2.51.
    ///
    /// # Errors
    ///
    /// Returns a [`RequestError`] that names the tensor, the expected value and the actual value.
    pub fn check(spec: &Arc<ModelSpec>, request: InferRequest) -> Result<Self, RequestError> {
        let data_bytes = request.data_bytes();
        let id = RequestId(request.id);
        check_duplicates(&id, &request.inputs)?;
        let requested = requested(spec, &request.outputs)?;
        let indices = indices(spec, &request.inputs);
        check_count(spec, &id, &request.inputs, indices.is_ok())?;
        let indices = indices?;
        let batch_size = batch_size(spec, &id, &request.inputs, &indices)?;
        let mut inputs: SmallVec<_> = spec.inputs.iter().map(|_| None).collect();
        let mut memory = request.memory;
        // The codec has reserved more. From here on, no input exists without a reservation.
        memory.grow_to(data_bytes)?;
        let memory = memory.share();
        let indexed = request.inputs.into_iter().zip(indices.iter().copied());
        for (input, index) in indexed.rev() {
            let checker = Checker {
                spec,
                id: &id,
                index,
                memory: memory.as_ref(),
            };
            inputs[index] = Some(checker.tensor(input)?);
        }
        // A cached response belongs to every client with the same inputs, so that it must not depend
        // on anything else of one: neither the function nor a model that it calls receives an
        // identity, parameters, or forwarded headers.
        let (parameters, identity) = match spec.call_options.response_cache {
            true => (Parameters::default(), Identity::ANONYMOUS),
            false => (request.parameters, request.identity),
        };
        Ok(Self(Box::new(Checked {
            spec: Arc::clone(spec),
            id: id.0,
            parameters,
            identity,
            timeout_microseconds: request.timeout_microseconds,
            priority: request.priority,
            sequence: request.sequence,
            inputs,
            requested,
            batch_size,
            traced: request.traced,
            _memory: memory,
            trace: request.trace,
            flaw: None,
            arrival: request.arrival,
        })))
    }
}

fn check_duplicates(id: &RequestId, inputs: &[InferInput]) -> Result<(), RequestError> {
    let twice = if inputs.len() <= LINEAR_SEARCH_LIMIT {
        let mut numbered = inputs.iter().enumerate();
        numbered.find(|(index, input)| {
            inputs[..*index]
                .iter()
                .any(|other| other.name == input.name)
        })
    } else {
        let mut names = HashSet::with_capacity(inputs.len());
        let mut numbered = inputs.iter().enumerate();
        numbered.find(|(_, input)| !names.insert(&input.name))
    };
    match twice {
        None => Ok(()),
        Some((_, input)) => Err(RequestError::DuplicateInput {
            request: id.clone(),
            input: excerpt(&input.name),
        }),
    }
}

fn requested(spec: &ModelSpec, outputs: &[RequestedOutput]) -> Result<Requested, RequestError> {
    let mut requested = Requested::default();
    for output in outputs {
        let index = spec
            .output_index(&output.name)
            .ok_or_else(|| RequestError::UnknownOutput {
                model: Arc::clone(&spec.name),
                output: excerpt(&output.name),
            })?;
        requested.insert(index, spec.outputs.len());
    }
    Ok(requested)
}

/// Checks the number of inputs. `known` is whether all of them are inputs of the model.
fn check_count(
    spec: &ModelSpec,
    id: &RequestId,
    inputs: &[InferInput],
    known: bool,
) -> Result<(), RequestError> {
    let most = spec.inputs.len();
    // Names are unique here, so no input is missing.
    if known && inputs.len() == most {
        return Ok(());
    }
    let required = spec.inputs.iter().filter(|input| !input.optional);
    let least = required.clone().count();
    let missing: Vec<&str> = required
        .map(|input| &*input.name)
        .filter(|name| !inputs.iter().any(|input| input.name == **name))
        .collect();
    // Triton only counts inputs. A required input must not be replaced by an optional one.
    if (least..=most).contains(&inputs.len()) && (missing.is_empty() || !known) {
        return Ok(());
    }
    let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
    Err(RequestError::InputCount {
        request: id.clone(),
        model: Arc::clone(&spec.name),
        expected: match least == most {
            true => format!("{most} inputs"),
            false => format!("number of inputs between {least} and {most}"),
        },
        got: inputs.len(),
        names: quoted(&names),
        missing: quoted(&missing),
    })
}

fn quoted(names: &[&str]) -> String {
    let shown = names.iter().take(SHOWN);
    let mut shown: Vec<String> = shown.map(|name| format!("'{}'", excerpt(name))).collect();
    if names.len() > SHOWN {
        shown.push(format!("and {} more", names.len() - SHOWN));
    }
    shown.join(",")
}

fn indices(spec: &ModelSpec, inputs: &[InferInput]) -> Result<SmallVec<usize>, RequestError> {
    let index = |input: &InferInput| spec.input_index(&input.name);
    let known: Option<SmallVec<usize>> = inputs.iter().map(index).collect();
    known.ok_or_else(|| {
        let unknown = inputs.iter().rev().find(|input| index(input).is_none());
        RequestError::UnknownInput {
            model: Arc::clone(&spec.name),
            input: excerpt(unknown.map_or("", |input| &input.name)),
        }
    })
}

/// Returns the size of axis 0 that all inputs share, or 1 for a model without batching.
fn batch_size(
    spec: &ModelSpec,
    id: &RequestId,
    inputs: &[InferInput],
    indices: &[usize],
) -> Result<usize, RequestError> {
    if !spec.batching() {
        return Ok(1);
    }
    let mut shared = None;
    for (input, &index) in inputs.iter().zip(indices).rev() {
        let Some(&rows) = input.shape.first() else {
            return Err(RequestError::NoBatchAxis {
                request: id.clone(),
                model: Arc::clone(&spec.name),
                input: Arc::clone(&spec.inputs[index].name),
            });
        };
        if *shared.get_or_insert(rows) != rows {
            return Err(RequestError::DifferentBatchSizes {
                request: id.clone(),
                model: Arc::clone(&spec.name),
                input: Arc::clone(&spec.inputs[index].name),
            });
        }
    }
    let rows = shared.unwrap_or(1);
    if rows > i64::from(spec.max_batch_size) {
        return Err(RequestError::BatchSize {
            request: id.clone(),
            model: Arc::clone(&spec.name),
            max: spec.max_batch_size,
        });
    }
    // A negative or empty batch is refused together with the shape of the input.
    Ok(usize::try_from(rows).unwrap_or_default())
}

/// Checks one input against the declaration of the model.
struct Checker<'a> {
    spec: &'a ModelSpec,
    id: &'a RequestId,
    index: usize,
    /// The reservation of the request, if any of it is counted.
    memory: Option<&'a Arc<MemoryPermit>>,
}

impl Checker<'_> {
    fn tensor(&self, input: InferInput) -> Result<TrackedTensor, RequestError> {
        let InferInput {
            datatype,
            shape,
            data,
            ..
        } = input;
        self.check_datatype(datatype)?;
        let shape = self.shape(&shape)?;
        self.check_size(datatype, &shape, &data)?;
        // A function may keep or return a part of the tensor when the request is gone.
        let tensor = TrackedTensor::of_shared(data, self.memory, datatype, shape);
        let tensor = tensor.map_err(|source| self.tensor_error(source))?;
        check_elements(self.spec, self.index, tensor.data()).map_err(|source| {
            RequestError::Element {
                model: Arc::clone(&self.spec.name),
                input: self.name(),
                source,
            }
        })?;
        Ok(tensor)
    }

    fn check_datatype(&self, got: DataType) -> Result<(), RequestError> {
        let expected = self.spec.inputs[self.index].datatype;
        if got == expected {
            return Ok(());
        }
        Err(RequestError::DataType {
            request: self.id.clone(),
            model: Arc::clone(&self.spec.name),
            input: self.name(),
            expected,
            got,
        })
    }

    fn shape(&self, shape: &[i64]) -> Result<Dims, RequestError> {
        let sizes: Option<Dims> = shape.iter().map(|&dim| dim.try_into().ok()).collect();
        let Some(sizes) = sizes else {
            return Err(RequestError::OpenDimension {
                request: self.id.clone(),
                model: Arc::clone(&self.spec.name),
                input: self.name(),
                got: shape_text(shape),
            });
        };
        let tensor = &self.spec.inputs[self.index];
        if !self.spec.fits(tensor, &sizes) {
            return Err(RequestError::Shape {
                request: self.id.clone(),
                model: Arc::clone(&self.spec.name),
                input: self.name(),
                expected: shape_text(&self.spec.client_dims(tensor)),
                got: shape_text(shape),
                note: if self.spec.batching() {
                    BATCH_AXIS_NOTE
                } else {
                    ""
                },
            });
        }
        Ok(sizes)
    }

    fn check_size(
        &self,
        datatype: DataType,
        shape: &[usize],
        data: &[u8],
    ) -> Result<(), RequestError> {
        // Triton interprets an empty batch as a tensor without a batch axis, so the size never
        // matches.
        let sized = match (self.spec.batching(), shape) {
            (true, [0, dims @ ..]) => dims,
            _ => shape,
        };
        let count = element_count(sized).map_err(|source| self.tensor_error(source))?;
        let Some(size) = datatype.size() else {
            self.check_strings(count, data)?;
            return self.check_rows(shape);
        };
        let expected = count.checked_mul(size).ok_or_else(|| {
            self.tensor_error(TensorError::TooLarge {
                shape: shape_text(shape),
            })
        })?;
        if expected == data.len() {
            return self.check_rows(shape);
        }
        Err(RequestError::ByteSize {
            request: self.id.clone(),
            model: Arc::clone(&self.spec.name),
            input: self.name(),
            expected,
            got: data.len(),
        })
    }

    fn check_rows(&self, shape: &[usize]) -> Result<(), RequestError> {
        if !self.spec.batching() || shape.first() != Some(&0) {
            return Ok(());
        }
        Err(RequestError::NoRows {
            request: self.id.clone(),
            model: Arc::clone(&self.spec.name),
            input: self.name(),
        })
    }

    fn check_strings(&self, expected: usize, data: &[u8]) -> Result<(), RequestError> {
        let (request, model, input) = (self.id.clone(), Arc::clone(&self.spec.name), self.name());
        let mut got = 0;
        for element in BytesElements::new(data) {
            got += 1;
            match element {
                Err(TensorError::TruncatedLength { available, .. }) => {
                    return Err(RequestError::StringLength {
                        request,
                        model,
                        input,
                        available,
                    });
                }
                // Triton detects too few elements before it detects that the last one is truncated.
                Err(TensorError::TruncatedElement {
                    length, available, ..
                }) if got >= expected => {
                    return Err(RequestError::StringData {
                        input,
                        length,
                        available,
                    });
                }
                _ if got > expected => {
                    return Err(RequestError::TooManyStrings {
                        request,
                        model,
                        input,
                        expected,
                        got,
                    });
                }
                _ => {}
            }
        }
        if got == expected {
            return Ok(());
        }
        Err(RequestError::TooFewStrings {
            request,
            model,
            input,
            expected,
            got,
        })
    }

    fn name(&self) -> Arc<str> {
        Arc::clone(&self.spec.inputs[self.index].name)
    }

    fn tensor_error(&self, source: TensorError) -> RequestError {
        RequestError::Tensor {
            request: self.id.clone(),
            model: Arc::clone(&self.spec.name),
            input: self.name(),
            source,
        }
    }
}
