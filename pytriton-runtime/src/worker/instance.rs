use std::io;
use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::handover::{Line, LineEnd, Run, line};
use crate::host::Host;
use crate::model::{Context, ModelError};

use super::lobby::Lobby;
use super::serve::serve;

/// Where it is told whether an instance could be loaded.
pub(super) type Loaded = oneshot::Receiver<Result<(), ModelError>>;

/// Starts the threads of a model's instances.
pub(super) fn spawn(lobby: &Arc<Lobby>, runtime: &Handle) -> io::Result<Vec<Loaded>> {
    let spec = &lobby.spec;
    let (line, end) = line(spec.name);
    let end = Arc::new(end);
    if spec.batches_in_flight > 1 {
        for _ in 0..spec.instances * spec.batches_in_flight {
            spawn_desk(lobby, line.clone())?;
        }
    }
    let instances = 0..spec.instances;
    instances
        .map(|number| spawn_instance(lobby, number, runtime.clone(), Arc::clone(&end)))
        .collect()
}

fn spawn_instance(
    lobby: &Arc<Lobby>,
    number: u32,
    runtime: Handle,
    end: Arc<LineEnd>,
) -> io::Result<Loaded> {
    let (loaded, result) = oneshot::channel();
    let lobby = Arc::clone(lobby);
    let presence = lobby.presence();
    thread::Builder::new()
        .name(format!("{}_{number}", lobby.spec.name))
        .spawn(move || {
            let _presence = presence;
            let context = Context::new(Arc::clone(&lobby.spec), number);
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
            match lobby.spec.batches_in_flight {
                1 => run(&host, &lobby),
                in_flight => end.serve(&host, in_flight as usize),
            }
        })?;
    Ok(result)
}

/// Starts a thread that serves guests for whatever instance is free.
fn spawn_desk(lobby: &Arc<Lobby>, line: Line) -> io::Result<()> {
    let lobby = Arc::clone(lobby);
    thread::Builder::new()
        .name(format!("{}_desk", lobby.spec.name))
        .spawn(move || run(&line, &lobby))?;
    Ok(())
}

/// Serves guest after guest.
fn run(host: &impl Run, lobby: &Lobby) {
    while let Some(guest) = lobby.next() {
        if let Err(error) = serve(host, lobby, guest) {
            let model = lobby.spec.name;
            tracing::warn!(model, %error, "tritonserver's connection has ended");
        }
    }
}
