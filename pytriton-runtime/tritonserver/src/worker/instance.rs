use std::io;
use std::sync::Arc;
use std::thread;

use pytriton_core::call::ModelError;
use pytriton_core::instance::LoadedRunner;
use pytriton_core::registry::Registration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::serve::serve;
use super::sessions::Sessions;

/// Receives the result of loading an instance.
pub(super) type Loaded = mpsc::Receiver<Result<(), ModelError>>;

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
    let (loaded, result) = mpsc::channel(1);
    let sessions = Arc::clone(sessions);
    let guard = sessions.instances.enter(number);
    thread::Builder::new()
        .name(format!("{}_{number}", sessions.spec.name))
        .spawn(move || {
            let _guard = guard;
            let context = model.context(number);
            let failed = {
                let loaded = loaded.clone();
                // The receiver has given up or already has a result.
                move |error| drop(loaded.try_send(Err(error)))
            };
            let instances = &sessions.instances;
            let runner = LoadedRunner::ready(&model, context, runtime, instances, failed);
            let Some(runner) = runner.map(LoadedRunner::into_local) else {
                return;
            };
            if loaded.try_send(Ok(())).is_err() {
                return;
            }
            drop(loaded);
            match sessions.spec.call_options.batches_in_flight {
                1 => {
                    while let Some(server) = sessions.next() {
                        serve(&runner, &sessions, &server);
                    }
                }
                in_flight => sessions.batches.serve(&runner, in_flight as usize),
            }
        })?;
    Ok(result)
}
