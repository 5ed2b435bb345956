use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use pytriton_backend::ffi::{Batch, Executor, Instance, now};
use pytriton_backend::protocol::BatchReader;
use pytriton_backend::session::TensorNames;
use pytriton_backend::{Failure, Gathering, StartedSequences};
use pytriton_core::call::ResponseSink;
use pytriton_core::instance::{Availability, MovableRunner};
use pytriton_core::model::ModelSpec;
use pytriton_core::registry::{Registration, Registry};
use pytriton_core::response_channel::{SchedulerError, StreamedBatch};
use pytriton_engine::logging::{self, LogSettings};
use pytriton_engine::trace::TracesExporter;
use pytriton_protocol::tensor::AlignedBuffer;
use tokio::runtime::{Handle, Runtime};

use crate::backend_batch::{
    BackendBatch, CancellationSink, CancellationTimer, QueuedBatch, Results, names,
};

use super::instance_thread::InstanceThread;
use super::respond::{failure, respond};
use super::running_batches::RunningBatches;
use super::triton_sink::{Shared, TritonSink, lock};

/// An instance of a model in tritonserver's process.
#[derive(Debug)]
pub struct Native {
    spec: Arc<ModelSpec>,
    names: Arc<TensorNames>,
    thread: InstanceThread,
    runtime: Handle,
    running: Arc<RunningBatches>,
    /// The state of the batch that is being gathered. Triton gives an instance one batch at a time.
    gathering: Mutex<Gathering>,
}

/// The maximum padding between two tensors.
const PADDING: [u8; 64] = [0; 64];

impl Executor for Native {
    fn start(instance: &Instance) -> Result<Self, Failure> {
        let registry = Registry::collect().map_err(|error| Failure::internal(error.to_string()))?;
        let model = find(&registry, instance)?;
        let spec = &model.spec;
        let names = names(spec);
        let runtime = runtime()?;
        Ok(Self {
            spec: Arc::clone(spec),
            thread: InstanceThread::load(model, instance, runtime.clone())?,
            runtime,
            running: Arc::default(),
            gathering: Mutex::new(Gathering::new(
                &names,
                Arc::new(StartedSequences::new(&spec.name, names.sequence_slots)),
            )),
            names: Arc::new(names),
        })
    }

    fn execute(&self, mut batch: Batch) {
        if self.thread.instances().is_broken()
            && let Some(refusal) = SchedulerError::refusal(&self.spec, Availability::Gone)
        {
            batch.fail_all(&failure(&refusal));
            batch.send();
            return;
        }
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
        if self.spec.decoupled {
            return self.execute_streamed(batch, gathered, &positions);
        }
        let names = Arc::clone(&self.names);
        match &self.thread {
            InstanceThread::Caller(runner, _) if !self.spec.cancellable => {
                let done = move |results| respond(batch, &positions, results, &names);
                let runner = instance(runner);
                runner.block_on(gathered.run(&runner, None, done));
            }
            thread => {
                let shared: Shared = Arc::new(Mutex::new(Some(batch)));
                let is_cancelled = cancellation_check(&shared, &positions);
                let sink = self.spec.cancellable.then(|| {
                    let is_cancelled = cancellation_check(&shared, &positions);
                    let sink = CancellationSink::new(&self.runtime, is_cancelled);
                    Arc::new(sink) as Arc<dyn ResponseSink>
                });
                let done = move |results: Results, begun| {
                    if let Some(mut batch) = lock(&shared).take() {
                        batch.called(begun);
                        respond(batch, &positions, results, &names);
                    }
                };
                self.run(thread, (gathered, sink), is_cancelled, done);
            }
        }
    }

    fn is_ready(&self) -> bool {
        let instances = self.thread.instances();
        !instances.is_broken()
            && match &self.thread {
                // Its availability is `Gone`, because the thread that loaded it has ended.
                InstanceThread::Caller(..) => true,
                InstanceThread::Dedicated(_) => instances.availability() == Availability::Ready,
            }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        self.running.wait_below(1);
    }
}

impl Native {
    /// Returns the sink for the responses of a batch, and the shared batch.
    fn streamed(
        &self,
        mut batch: Batch,
        positions: &[usize],
    ) -> (Arc<StreamedBatch<TritonSink>>, Shared) {
        batch.decouple();
        let shared = Arc::new(Mutex::new(Some(batch)));
        let sinks = positions.iter().map(|&position| TritonSink {
            batch: Arc::clone(&shared),
            position,
            names: Arc::clone(&self.names),
            timer: CancellationTimer::default(),
        });
        (Arc::new(StreamedBatch::new(sinks)), shared)
    }

    /// Runs a batch of a decoupled model.
    fn execute_streamed(&self, batch: Batch, gathered: BackendBatch, positions: &[usize]) {
        let (streamed, shared) = self.streamed(batch, positions);
        let sink = Arc::clone(&streamed) as Arc<dyn ResponseSink>;
        let is_cancelled = cancellation_check(&shared, positions);
        let done = move |results: Results, _| {
            streamed.end(results.into_iter().map(|result| result.map(drop)));
        };
        self.run(&self.thread, (gathered, Some(sink)), is_cancelled, done);
    }

    /// Runs a batch, and blocks until the instance can accept another one.
    fn run(
        &self,
        thread: &InstanceThread,
        (gathered, sink): (BackendBatch, Option<Arc<dyn ResponseSink>>),
        is_cancelled: impl Fn(usize) -> bool + Send + 'static,
        done: impl FnOnce(Results, u64) + Send + 'static,
    ) {
        let queue = match thread {
            InstanceThread::Dedicated(queue) => queue,
            InstanceThread::Caller(runner, _) => {
                let begun = now();
                if let Some(sink) = &sink {
                    sink.called(begun);
                }
                let runner = instance(runner);
                let done = move |results| done(results, begun);
                return runner.block_on(gathered.run(&runner, sink.as_ref(), done));
            }
        };
        self.running.begin();
        let running = Arc::clone(&self.running);
        let done = move |results, begun| {
            done(results, begun);
            running.end();
        };
        let gathered = (gathered, sink);
        (queue.batches).send(QueuedBatch::new(&self.spec, gathered, is_cancelled, done));
        match queue.instances.availability() {
            Availability::Ready => {}
            availability => queue.receiver.refuse(availability),
        }
        self.running
            .wait_below(self.spec.call_options.batches_in_flight as usize);
    }

    /// Returns the requests of a batch and their positions in it.
    fn gather(&self, batch: &mut Batch) -> Result<(BackendBatch, Vec<usize>), Failure> {
        let mut gathering = self.gathering.lock();
        if !self.names.has_sequences() {
            // In a sequence, later requests depend on each one, so a cancelled request still runs.
            batch.drop_cancelled();
        }
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
        for &index in gathering.padding_rows() {
            batch.complete_padding(index);
        }
        // An input that is in no request is placed after the last byte written.
        pad(&mut buffer, gathering.data());
        batch.gathered(now(), gathering.rows());
        let data: Bytes = buffer.freeze();
        let positions = gathering.positions().to_vec();
        let gathered = BackendBatch::read(
            &self.spec,
            &mut BatchReader::default(),
            gathering.description(),
            &data,
        );
        let gathered = gathered.map_err(|error| Failure::internal(error.to_string()))?;
        Ok((gathered, positions))
    }
}

/// Locks an instance to run a batch on it.
fn instance(runner: &Mutex<MovableRunner>) -> MutexGuard<'_, MovableRunner> {
    // A panic leaves only the user's state inconsistent.
    runner.lock()
}

/// Returns a function that reports whether the request at one of those positions was cancelled.
fn cancellation_check(
    batch: &Shared,
    positions: &[usize],
) -> impl Fn(usize) -> bool + Send + Sync + use<> {
    let (batch, positions) = (Arc::clone(batch), positions.to_vec());
    move |request| {
        let batch = lock(&batch);
        let batch = batch.as_ref().zip(positions.get(request));
        let request = batch.and_then(|(batch, &index)| batch.request(index));
        request.is_some_and(|request| request.cancelled())
    }
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
    if let Some(found) = found.filter(|found| !found.spec.callees.is_empty()) {
        let name = &found.spec.name;
        let message = format!(
            "model '{name}' calls other models, which a native backend cannot do: serve it with `main!`"
        );
        return Err(Failure::internal(message));
    }
    if let Some(found) = found.filter(|found| found.spec.takes_identity) {
        let name = &found.spec.name;
        let message = format!(
            "model '{name}' takes the identity of the client, which a native backend does not know: serve it with `main!` and the embedded engine"
        );
        return Err(Failure::internal(message));
    }
    if let Some((found, state)) =
        found.and_then(|found| Some((found, found.spec.shared_states.first()?)))
    {
        let name = &found.spec.name;
        let message = format!(
            "model '{name}' takes the state {state}, which a native backend cannot provide: create it in `#[load]` or in a `static`, or serve the model with `pytriton::Cli`"
        );
        return Err(Failure::internal(message));
    }
    found.ok_or_else(|| {
        let models = registry.iter();
        let models: Vec<String> = models
            .map(|spec| format!("'{}' version {}", spec.name, spec.version))
            .collect();
        let models = models.join(", ");
        let message =
            format!("the backend has no model '{model}' version {version}; its models: {models}");
        Failure::internal(message)
    })
}

/// Returns the runtime that drives `async` functions. It is created with the first instance; logs
/// go to tritonserver's standard error.
fn runtime() -> Result<Handle, Failure> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        // Spans that are not exported are not recorded.
        logging::init(&LogSettings::default(), TracesExporter::None)
            .map_err(|error| error.to_string())?;
        Runtime::new().map_err(|error| error.to_string())
    });
    match runtime {
        Ok(runtime) => Ok(runtime.handle().clone()),
        Err(error) => Err(Failure::internal(error)),
    }
}
