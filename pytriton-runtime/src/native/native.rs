use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use pytriton_backend::ffi::{Batch, Executor, Instance, now};
use pytriton_backend::session::TensorNames;
use pytriton_backend::wire::BatchReader;
use pytriton_backend::{Failure, Gathering};
use tokio::runtime::{Handle, Runtime};

use crate::LogFormat;
use crate::gathered::{Call, Gathered, Results, code, names};
use crate::logging;
use crate::model::ModelSpec;
use crate::registry::{Registration, Registry};
use crate::request::Response;
use crate::runner::Availability;
use crate::scheduler::SchedulerError;
use crate::tensor::AlignedBuffer;
use crate::text::for_client;

use super::gate::Gate;
use super::place::Place;

/// An instance of a model in tritonserver's own process.
#[derive(Debug)]
pub struct Native {
    spec: Arc<ModelSpec>,
    names: Arc<TensorNames>,
    place: Place,
    gate: Arc<Gate>,
    /// Of the batch that is being gathered: Triton gives an instance one at a time.
    gathering: Mutex<Gathering>,
}

/// What lies between two tensors, at most.
const PADDING: [u8; 64] = [0; 64];

impl Executor for Native {
    fn start(instance: &Instance) -> Result<Self, Failure> {
        let registry = Registry::collect().map_err(|error| Failure::internal(error.to_string()))?;
        let model = find(&registry, instance)?;
        let spec = &model.spec;
        let names = names(spec);
        Ok(Self {
            spec: Arc::clone(spec),
            place: Place::load(model, instance, runtime()?)?,
            gate: Arc::default(),
            gathering: Mutex::new(Gathering::new(&names)),
            names: Arc::new(names),
        })
    }

    fn execute(&self, mut batch: Batch) {
        let (gathered, positions) = match self.gather(&mut batch) {
            Ok(gathered) => gathered,
            Err(failure) => {
                batch.fail_all(&failure);
                batch.send();
                return;
            }
        };
        if positions.is_empty() {
            batch.send();
            return;
        }
        let names = Arc::clone(&self.names);
        match &self.place {
            Place::Here(runner) => {
                // What a panic leaves behind belongs to the user's function.
                let runner = runner.lock().unwrap_or_else(PoisonError::into_inner);
                let done = move |results| respond(batch, &positions, results, &names);
                runner.block_on(gathered.run(&runner, done));
            }
            Place::There(queue) => {
                self.gate.enter();
                let gate = Arc::clone(&self.gate);
                let (waiting, asked) = (Arc::new(Mutex::new(Some(batch))), positions.clone());
                let looked_at = Arc::clone(&waiting);
                let is_cancelled = move |request: usize| {
                    let batch = lock(&looked_at);
                    let batch = batch.as_ref().zip(asked.get(request));
                    let request = batch.and_then(|(batch, &index)| batch.request(index));
                    request.is_some_and(|request| request.cancelled())
                };
                let done = move |results: Results, begun| {
                    if let Some(mut batch) = lock(&waiting).take() {
                        batch.called(begun);
                        respond(batch, &positions, results, &names);
                    }
                    gate.leave();
                };
                let call = Call::new(&self.spec, gathered, is_cancelled, done);
                queue.calls.send(call);
                match queue.instances.availability() {
                    Availability::Ready => {}
                    availability => queue.end.refuse(availability),
                }
                self.gate.wait_below(self.spec.batches_in_flight as usize);
            }
        }
    }

    fn is_ready(&self) -> bool {
        match &self.place {
            Place::Here(_) => true,
            Place::There(queue) => queue.instances.availability() == Availability::Ready,
        }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        self.gate.wait_below(1);
    }
}

impl Native {
    /// The requests of a batch, and their positions in it.
    fn gather(&self, batch: &mut Batch) -> Result<(Gathered, Vec<usize>), Failure> {
        // Whatever a panic leaves behind is written anew for each batch.
        let gathering = self.gathering.lock();
        let mut gathering = gathering.unwrap_or_else(PoisonError::into_inner);
        let mut refused = Vec::new();
        let pieces = gathering.plan(batch, |index, failure| refused.push((index, failure)));
        let mut buffer = AlignedBuffer::with_capacity(gathering.data(), 0);
        gathering.gather(pieces, |offset, bytes| {
            pad(&mut buffer, offset);
            buffer.extend_from_slice(bytes);
            Ok::<_, Failure>(())
        })?;
        for (index, failure) in refused {
            batch.fail(index, failure);
        }
        // An input that no request has lies behind the last byte that was written.
        pad(&mut buffer, gathering.data());
        batch.gathered(now(), gathering.rows());
        let data: Bytes = buffer.freeze();
        let positions = gathering.positions().to_vec();
        let gathered = Gathered::read(
            &self.spec,
            &mut BatchReader::default(),
            gathering.description(),
            &data,
        );
        match gathered.map_err(|error| Failure::internal(error.to_string()))? {
            Ok(gathered) => Ok((gathered, positions)),
            Err((_, error)) => Err(failure(&error.into())),
        }
    }
}

fn lock(batch: &Mutex<Option<Batch>>) -> MutexGuard<'_, Option<Batch>> {
    // Nothing under this lock panics half-way.
    batch.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers a batch with what became of the requests at those positions.
fn respond(mut batch: Batch, positions: &[usize], results: Results, names: &TensorNames) {
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

fn pass_on(
    batch: &mut Batch,
    index: usize,
    response: Response,
    names: &TensorNames,
    dims: &mut Vec<i64>,
) -> Result<(), Failure> {
    batch.begin(index)?;
    for (output, tensor) in response.outputs {
        let (name, datatype) = &names.outputs[output];
        dims.clear();
        let shape = tensor.shape().iter();
        dims.extend(shape.map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX)));
        batch.output(index, (name, *datatype), dims, tensor.data())?;
    }
    Ok(())
}

fn failure(error: &SchedulerError) -> Failure {
    Failure::new(code(error.status()), for_client(error))
}

fn pad(buffer: &mut AlignedBuffer, len: usize) {
    let missing = len.saturating_sub(buffer.len());
    buffer.extend_from_slice(&PADDING[..missing.min(PADDING.len())]);
}

fn find<'a>(registry: &'a Registry, instance: &Instance) -> Result<&'a Registration, Failure> {
    let Instance { model, version, .. } = instance;
    let mut models = registry.registrations();
    let found = models.find(|Registration { spec, .. }| {
        *spec.name == **model && u64::from(spec.version) == *version
    });
    found.ok_or_else(|| {
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
