use std::sync::{Arc, OnceLock};

use pytriton_backend::channel::TensorNames;
use pytriton_backend::ffi::{Executed, Executor, Instance, Request, Requests, Responses, now};
use pytriton_backend::{Failure, Gathering};
use tokio::runtime::{Handle, Runtime};

use crate::Error;
use crate::LogFormat;
use crate::handover::{code, names, run};
use crate::logging;
use crate::model::{ModelSpec, Registry, Response};
use crate::tensor::AlignedBuffer;

use super::seat::Seat;

/// A lane to an instance of a model in tritonserver's own process.
#[derive(Debug)]
pub struct Native {
    spec: Arc<ModelSpec>,
    names: TensorNames,
    seat: Seat,
    gathering: Gathering,
    dims: Vec<i64>,
}

/// What lies between two tensors, at most.
const PADDING: [u8; 64] = [0; 64];

impl Executor for Native {
    fn start(instance: &Instance) -> Result<Vec<Self>, Failure> {
        let registry = Registry::collect().map_err(|error| Failure::internal(error.to_string()))?;
        let spec = find(&registry, instance)?;
        let seats = Seat::load(spec, instance, runtime()?)?.into_iter();
        let lanes = seats.map(|seat| Self {
            names: names(spec),
            spec: Arc::clone(spec),
            seat,
            gathering: Gathering::default(),
            dims: Vec::new(),
        });
        Ok(lanes.collect())
    }

    fn execute(
        &mut self,
        requests: Requests<'_>,
        responses: &mut Responses,
    ) -> Result<Executed, Failure> {
        self.gathering.plan(requests, &self.names)?;
        let mut buffer = AlignedBuffer::with_capacity(self.gathering.data(), 0);
        self.gathering
            .gather(requests, &self.names, |offset, bytes| {
                pad(&mut buffer, offset);
                buffer.extend_from_slice(bytes);
                Ok(())
            })?;
        // An input that no request has lies behind the last byte that was written.
        pad(&mut buffer, self.gathering.data());
        let gathered = now();
        let description = self.gathering.description();
        let data = buffer.freeze();
        let results = run(&self.seat, &self.spec, description, &data);
        let results = results.map_err(|error| Failure::internal(error.to_string()))?;
        let computed = now();
        for (index, (request, result)) in requests.iter().zip(results).enumerate() {
            let responded = self.respond(index, request, result, responses);
            if let Err(failure) = responded {
                responses.fail(index, failure);
            }
        }
        Ok(Executed {
            gathered,
            computed,
            rows: self.gathering.rows(),
        })
    }
}

impl Native {
    fn respond(
        &mut self,
        index: usize,
        request: Request<'_>,
        result: Result<Response, Error>,
        responses: &mut Responses,
    ) -> Result<(), Failure> {
        let response =
            result.map_err(|error| Failure::new(code(error.status()), error.to_string()))?;
        responses.begin(index, request)?;
        for (output, tensor) in response.outputs {
            let (name, datatype) = &self.names.outputs[output];
            self.dims.clear();
            let dims = tensor.shape().iter();
            let dims = dims.map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX));
            self.dims.extend(dims);
            responses.output(index, (name, *datatype), &self.dims, tensor.data())?;
        }
        Ok(())
    }
}

fn pad(buffer: &mut AlignedBuffer, len: usize) {
    let missing = len.saturating_sub(buffer.len());
    buffer.extend_from_slice(&PADDING[..missing.min(PADDING.len())]);
}

fn find<'a>(registry: &'a Registry, instance: &Instance) -> Result<&'a Arc<ModelSpec>, Failure> {
    let Instance { model, version, .. } = instance;
    let mut specs = registry.iter();
    let spec = specs.find(|spec| spec.name == model && u64::from(spec.version) == *version);
    spec.ok_or_else(|| {
        let there = registry.iter();
        let there: Vec<String> = there
            .map(|spec| format!("'{}' version {}", spec.name, spec.version))
            .collect();
        let there = there.join(", ");
        let message = format!("the backend has no model '{model}' version {version}, but {there}");
        Failure::internal(message)
    })
}

/// The runtime that drives `async` functions, made for the first instance; logs go where tritonserver's do.
fn runtime() -> Result<Handle, Failure> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        logging::init(0, LogFormat::Human);
        Runtime::new().map_err(|error| error.to_string())
    });
    match runtime {
        Ok(runtime) => Ok(runtime.handle().clone()),
        Err(error) => Err(Failure::internal(error)),
    }
}
