use std::io;
use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::host::Host;
use crate::model::{Context, ModelError};

use super::lobby::Lobby;
use super::serve::serve;

/// Where it is told whether an instance could be loaded.
pub(super) type Loaded = oneshot::Receiver<Result<(), ModelError>>;

/// Starts the thread of an instance.
pub(super) fn spawn(lobby: &Arc<Lobby>, number: u32, runtime: Handle) -> io::Result<Loaded> {
    let (loaded, result) = oneshot::channel();
    let lobby = Arc::clone(lobby);
    let presence = lobby.presence();
    thread::Builder::new()
        .name(format!("{}_{number}", lobby.spec.name))
        .spawn(move || {
            let _presence = presence;
            let context = Context::new(Arc::clone(&lobby.spec), number);
            match Host::load(context, runtime) {
                Ok(host) => {
                    if loaded.send(Ok(())).is_ok() {
                        run(&host, &lobby);
                    }
                }
                Err(error) => {
                    // The starter has given up; there is nobody else to tell.
                    let _ = loaded.send(Err(error));
                }
            }
        })?;
    Ok(result)
}

/// Serves guest after guest.
fn run(host: &Host, lobby: &Lobby) {
    while let Some(guest) = lobby.next() {
        if let Err(error) = serve(host, lobby, guest) {
            let model = lobby.spec.name;
            tracing::warn!(model, %error, "tritonserver's connection has ended");
        }
    }
}
