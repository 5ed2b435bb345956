use std::io;
use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::call::{Context, ModelError};
use crate::registry::Registration;
use crate::runner::Runner;

use super::serve::serve;
use super::sessions::Sessions;

/// Where it is told whether an instance could be loaded.
pub(super) type Loaded = oneshot::Receiver<Result<(), ModelError>>;

/// Starts the threads of a model's instances.
pub(super) fn spawn(
    sessions: &Arc<Sessions>,
    model: &Registration,
    runtime: &Handle,
) -> io::Result<Vec<Loaded>> {
    let instances = 0..sessions.spec.instances.count();
    instances
        .map(|number| spawn_instance(sessions, model.clone(), number, runtime.clone()))
        .collect()
}

fn spawn_instance(
    sessions: &Arc<Sessions>,
    model: Registration,
    number: u32,
    runtime: Handle,
) -> io::Result<Loaded> {
    let (loaded, result) = oneshot::channel();
    let sessions = Arc::clone(sessions);
    let presence = sessions.instances.enter(number);
    thread::Builder::new()
        .name(format!("{}_{number}", sessions.spec.name))
        .spawn(move || {
            let _presence = presence;
            let context = Context::new(Arc::clone(&model.spec), number);
            let runner = Runner::load(&model, context, runtime);
            let runner = match runner.and_then(|runner| runner.supervised(&sessions.instances)) {
                Ok(runner) => runner,
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
                        serve(&runner, &sessions, &server);
                    }
                }
                in_flight => sessions.calls.serve(&runner, in_flight as usize),
            }
        })?;
    Ok(result)
}
