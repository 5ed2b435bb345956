use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::time::Duration;

use pytriton_backend::session::{Hello, Server, SessionError, Token, Welcome};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::spawn_blocking;

use crate::backend_batch::welcome;

use super::loads::Loads;
use super::session_end::SessionEnd;
use super::sessions::Sessions;

/// The timeout for the peer's part of the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// Accepts sessions and assigns them to models.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) token: Token,
    /// The user that this process runs as.
    pub(super) user: u32,
    pub(super) models: Vec<Arc<Loads>>,
}

impl Listener {
    /// Returns the sessions of all models.
    pub(super) fn sessions(&self) -> impl Iterator<Item = Arc<Sessions>> {
        self.models.iter().flat_map(|loads| loads.sessions())
    }

    /// Returns the model with a name and version.
    pub(super) fn find(&self, name: &str, version: u64) -> Option<&Arc<Loads>> {
        let mut models = self.models.iter();
        models.find(|loads| {
            let spec = loads.spec();
            *spec.name == *name && u64::from(spec.version) == version
        })
    }

    /// Accepts sessions forever.
    pub(super) async fn run(self: Arc<Self>, socket: UnixListener) {
        loop {
            match socket.accept().await {
                Ok((stream, _)) => self.accept(stream),
                Err(error) => {
                    // Most likely the process is out of descriptors; others may be freed.
                    tracing::warn!(%error, "cannot accept a connection from tritonserver");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn accept(self: &Arc<Self>, stream: UnixStream) {
        match stream.peer_cred() {
            Ok(peer) if peer.uid() == self.user => {}
            peer => {
                tracing::warn!(?peer, "refused a connection from another user");
                return;
            }
        }
        let listener = Arc::clone(self);
        spawn_blocking(move || {
            if let Err(error) = listener.handshake(stream) {
                tracing::warn!(%error, "refused a connection");
            }
        });
    }

    fn handshake(&self, stream: UnixStream) -> Result<(), SessionError> {
        let mut socket = stream.into_std()?;
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
        let hello = Hello::receive(&mut socket)?;
        if hello.token != self.token {
            return refuse(&mut socket, "the token belongs to another worker");
        }
        let Some(loads) = self.find(&hello.model, hello.version) else {
            let Hello { model, version, .. } = hello;
            return refuse(
                &mut socket,
                &format!("version {version} of model '{model}' does not exist"),
            );
        };
        socket.set_write_timeout(Some(HANDSHAKE_TIMEOUT))?;
        // An error means that the peer is gone.
        let wait = || drop(Welcome::wait(&mut socket));
        let sessions = match loads.enter(hello.load, wait) {
            Ok(sessions) => sessions,
            Err(reason) => return refuse(&mut socket, &reason),
        };
        if !sessions.register(loads.max_sessions()) {
            return refuse(&mut socket, &loads.too_many_sessions());
        }
        match open(socket, &sessions) {
            Ok(server) => {
                sessions.enter(server);
                Ok(())
            }
            Err(error) => {
                // No other session may follow for these instances.
                sessions.leave(SessionEnd::Closed);
                Err(error)
            }
        }
    }
}

/// Opens a session immediately, even if every instance is busy: tritonserver serves no model until
/// all sessions are open.
fn open(mut socket: StdStream, sessions: &Sessions) -> Result<Server, SessionError> {
    let mut again = socket.try_clone()?;
    let opened = match sessions.is_open() {
        true => Server::open(socket, &welcome(&sessions.spec), || {}),
        false => return refuse(&mut socket, "the worker is stopping"),
    };
    opened.or_else(|error| refuse(&mut again, &error.to_string()))
}

fn refuse<T>(socket: &mut StdStream, reason: &str) -> Result<T, SessionError> {
    Welcome::refuse(socket, reason)?;
    Err(SessionError::Refused(reason.to_owned()))
}
