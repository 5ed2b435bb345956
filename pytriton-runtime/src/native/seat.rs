use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use bytes::Bytes;
use pytriton_backend::Failure;
use tokio::runtime::Handle;

use crate::handover::{Results, run};
use crate::host::{Detached, Host};
use crate::model::{Context, ModelSpec};

/// Where the instance of a model is.
#[derive(Debug)]
pub(super) enum Seat {
    /// On whatever thread tritonserver calls from.
    Here(Detached),
    /// On a thread of its own, for the sake of its state.
    There(Line),
}

/// The way to an instance on another thread.
#[derive(Debug)]
pub(super) struct Line {
    batches: SyncSender<(Vec<u8>, Bytes)>,
    results: Receiver<Result<Results, Failure>>,
}

impl Seat {
    /// Loads an instance.
    pub(super) fn load(
        spec: &Arc<ModelSpec>,
        number: u32,
        runtime: Handle,
    ) -> Result<Self, Failure> {
        let (batches, waiting) = sync_channel(1);
        let (answer, results) = sync_channel(1);
        let (loaded, seat) = sync_channel(1);
        let spec = Arc::clone(spec);
        let thread = thread::Builder::new().name(format!("{}_{number}", spec.name));
        let spawned = thread.spawn(move || {
            let context = Context::new(Arc::clone(&spec), number);
            let host = match Host::load(context, runtime) {
                Ok(host) => host,
                Err(error) => {
                    // The loader waits for it.
                    let _ = loaded.send(Err(Failure::internal(error.to_string())));
                    return;
                }
            };
            let detached = host.detached();
            let stays = detached.is_none();
            if loaded.send(Ok(detached)).is_ok() && stays {
                work(&host, &spec, &waiting, &answer);
            }
        });
        spawned.map_err(|error| Failure::internal(error.to_string()))?;
        match seat.recv().map_err(|_| gone())?? {
            Some(detached) => Ok(Self::Here(detached)),
            None => Ok(Self::There(Line { batches, results })),
        }
    }

    /// Runs a batch.
    pub(super) fn run(
        &self,
        spec: &Arc<ModelSpec>,
        description: &[u8],
        data: Bytes,
    ) -> Result<Results, Failure> {
        match self {
            Self::Here(detached) => run(detached, spec, description, &data)
                .map_err(|error| Failure::internal(error.to_string())),
            Self::There(line) => {
                let batch = (description.to_vec(), data);
                line.batches.send(batch).map_err(|_| gone())?;
                line.results.recv().map_err(|_| gone())?
            }
        }
    }
}

fn work(
    host: &Host,
    spec: &Arc<ModelSpec>,
    batches: &Receiver<(Vec<u8>, Bytes)>,
    answer: &SyncSender<Result<Results, Failure>>,
) {
    while let Ok((description, data)) = batches.recv() {
        let results = run(host, spec, &description, &data);
        let results = results.map_err(|error| Failure::internal(error.to_string()));
        if answer.send(results).is_err() {
            return;
        }
    }
}

fn gone() -> Failure {
    Failure::internal("the model's instance is gone")
}
