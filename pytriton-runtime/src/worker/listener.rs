use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::time::Duration;

use pytriton_backend::channel::{ChannelError, Desk, Guest, Token, Welcome};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::spawn_blocking;

use crate::handover::welcome;

use super::lobby::Lobby;

/// How long a guest may take for its greeting.
const PATIENCE: Duration = Duration::from_secs(5);

/// Who may come in, and where to.
#[derive(Debug)]
pub(super) struct Reception {
    pub(super) token: Token,
    /// The user that this process runs as.
    pub(super) user: u32,
    pub(super) lobbies: Vec<Arc<Lobby>>,
}

impl Reception {
    /// Takes guests in, for ever.
    pub(super) async fn run(self: Arc<Self>, listener: UnixListener) {
        loop {
            match listener.accept().await {
                Ok((guest, _)) => self.welcome(guest),
                Err(error) => {
                    // Most likely no descriptor is left; others may give theirs back.
                    tracing::warn!(%error, "cannot take tritonserver's connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn welcome(self: &Arc<Self>, guest: UnixStream) {
        match guest.peer_cred() {
            Ok(peer) if peer.uid() == self.user => {}
            peer => {
                tracing::warn!(?peer, "refused a connection of another user");
                return;
            }
        }
        let reception = Arc::clone(self);
        spawn_blocking(move || {
            if let Err(error) = reception.greet(guest) {
                tracing::warn!(%error, "refused a connection");
            }
        });
    }

    fn greet(&self, guest: UnixStream) -> Result<(), ChannelError> {
        let mut socket = guest.into_std()?;
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let guest = Guest::receive(&mut socket)?;
        if guest.token != self.token {
            return refuse(&mut socket, "the token is another worker's");
        }
        let lobby = self.lobbies.iter().find(|lobby| {
            lobby.spec.name == guest.model && u64::from(lobby.spec.version) == guest.version
        });
        let Some(lobby) = lobby else {
            let Guest { model, version, .. } = guest;
            return refuse(
                &mut socket,
                &format!("there is no model '{model}' version {version}"),
            );
        };
        if !lobby.is_open() {
            return refuse(&mut socket, "the worker is stopping");
        }
        // Welcome at once, although every instance may be busy: tritonserver waits for this before it serves any model.
        let mut again = socket.try_clone()?;
        match Desk::open(socket, &welcome(&lobby.spec)) {
            Ok(desk) => lobby.enter(desk),
            Err(error) => return refuse(&mut again, &error.to_string()),
        }
        Ok(())
    }
}

fn refuse(socket: &mut StdStream, reason: &str) -> Result<(), ChannelError> {
    Welcome::refuse(socket, reason)?;
    Err(ChannelError::Refused(reason.to_owned()))
}
