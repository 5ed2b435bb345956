use std::io;
use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::gathered::CallsEnd;
use crate::host::Host;
use crate::model::{Context, ModelError};

use super::serve::serve;
use super::sessions::Sessions;

/// Where it is told whether an instance could be loaded.
pub(super) type Loaded = oneshot::Receiver<Result<(), ModelError>>;

/// Starts the threads of a model's instances, which take batches from `calls` where they have several in flight.
pub(super) fn spawn(
    sessions: &Arc<Sessions>,
    calls: &Arc<CallsEnd>,
    runtime: &Handle,
) -> io::Result<Vec<Loaded>> {
    let instances = 0..sessions.spec.instances;
    instances
        .map(|number| spawn_instance(sessions, number, runtime.clone(), Arc::clone(calls)))
        .collect()
}

fn spawn_instance(
    sessions: &Arc<Sessions>,
    number: u32,
    runtime: Handle,
    calls: Arc<CallsEnd>,
) -> io::Result<Loaded> {
    let (loaded, result) = oneshot::channel();
    let sessions = Arc::clone(sessions);
    let presence = sessions.presence();
    thread::Builder::new()
        .name(format!("{}_{number}", sessions.spec.name))
        .spawn(move || {
            let _presence = presence;
            let context = Context::new(Arc::clone(&sessions.spec), number);
            let host = match Host::load(context, runtime) {
                Ok(host) => host,
                Err(error) => {
                    // The starter has given up; there is nobody else to tell.
                    let _ = loaded.send(Err(error));
                    return;
                }
            };
            if loaded.send(Ok(())).is_err() {
                return;
            }
            match sessions.spec.batches_in_flight {
                1 => {
                    while let Some(server) = sessions.next() {
                        serve(&host, &sessions, &server);
                    }
                }
                in_flight => calls.serve(&host, in_flight as usize),
            }
        })?;
    Ok(result)
}
