use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use pytriton_backend::Failure;
use tokio::runtime::Handle;

use crate::handover::{Handover, Line, Results, Run, line};
use crate::host::{Detached, Host};
use crate::model::{Context, ModelSpec};

/// Where the instance of a model is.
#[derive(Debug)]
pub(super) enum Seat {
    /// On whatever thread tritonserver calls from.
    Here(Detached),
    /// On a thread of its own.
    There(Line),
}

impl Seat {
    /// Loads an instance; returns a way to it for each batch that may be in flight.
    ///
    /// It stays on a thread of its own for the sake of its state, or because several batches come to it.
    pub(super) fn load(
        spec: &Arc<ModelSpec>,
        number: u32,
        runtime: Handle,
    ) -> Result<Vec<Self>, Failure> {
        let in_flight = spec.batches_in_flight as usize;
        let (line, end) = line(spec.name);
        let (loaded, seat) = sync_channel(1);
        let spec = Arc::clone(spec);
        let thread = thread::Builder::new().name(format!("{}_{number}", spec.name));
        let spawned = thread.spawn(move || {
            let context = Context::new(spec, number);
            let host = match Host::load(context, runtime) {
                Ok(host) => host,
                Err(error) => {
                    // The loader waits for it.
                    let _ = loaded.send(Err(Failure::internal(error.to_string())));
                    return;
                }
            };
            let detached = host.detached().filter(|_| in_flight == 1);
            let stays = detached.is_none();
            if loaded.send(Ok(detached)).is_ok() && stays {
                end.serve(&host, in_flight);
            }
        });
        spawned.map_err(|error| Failure::internal(error.to_string()))?;
        let gone = |_| Failure::internal("the model's instance is gone");
        match seat.recv().map_err(gone)?? {
            Some(detached) => Ok(vec![Self::Here(detached)]),
            None => Ok(vec![line; in_flight].into_iter().map(Self::There).collect()),
        }
    }
}

impl Run for Seat {
    fn run(&self, handed: Handover) -> Results {
        match self {
            Self::Here(detached) => detached.run(handed),
            Self::There(line) => line.run(handed),
        }
    }
}
