use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pytriton_backend::channel::Token;
use pytriton_backend::{SOCKET_VARIABLE, TOKEN_VARIABLE};
use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::model::{ModelError, ModelSpec, Registry};

use super::WorkerError;
use super::instance::{Loaded, spawn};
use super::listener::Reception;
use super::lobby::Lobby;

/// All instances of all models, and the socket at which tritonserver finds them.
#[derive(Debug)]
pub struct Worker {
    path: PathBuf,
    reception: Arc<Reception>,
    listening: JoinHandle<()>,
}

impl Worker {
    /// Loads all instances of all models, and listens in a folder that only this user can enter.
    ///
    /// # Errors
    ///
    /// A [`WorkerError`] for the first instance that cannot be loaded, or when the folder takes no socket.
    pub async fn start(registry: &Registry, folder: &Path) -> Result<Self, WorkerError> {
        let path = folder.join("worker.sock");
        let socket = |source| WorkerError::Socket {
            path: path.clone(),
            source,
        };
        let user = fs::metadata("/proc/self").map_err(socket)?.uid();
        let listener = UnixListener::bind(&path).map_err(socket)?;
        let reception = Arc::new(Reception {
            token: token().map_err(WorkerError::Token)?,
            user,
            lobbies: lobbies(registry).await?,
        });
        let listening = tokio::spawn(Arc::clone(&reception).run(listener));
        Ok(Self {
            path,
            reception,
            listening,
        })
    }

    /// What tritonserver's environment must carry.
    ///
    /// Not the models' configuration: any client may read that.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, String)> {
        let path = self.path.to_string_lossy().into_owned();
        let token = self.reception.token.to_text();
        [(SOCKET_VARIABLE, path), (TOKEN_VARIABLE, token)].into_iter()
    }

    /// Whether every model has an instance.
    pub fn ready(&self) -> bool {
        !self.listening.is_finished() && self.reception.lobbies.iter().all(|lobby| lobby.ready())
    }

    /// Whether for some time after `since` no instance has had anything to do, and tritonserver has nothing for them that waits.
    ///
    /// A request waits only as long as every instance is busy, or for the company that its model wishes for.
    pub fn quiet(&self, since: std::time::Instant, time: Duration) -> bool {
        self.reception
            .lobbies
            .iter()
            .all(|lobby| lobby.quiet(since, time))
    }

    /// Refuses all batches that are not yet being executed.
    pub fn refuse(&self) {
        for lobby in &self.reception.lobbies {
            lobby.refuse();
        }
    }

    /// Answers the batches that are under way and ends the instances; returns whether all had ended by `deadline`.
    pub async fn stop(self, deadline: Instant) -> bool {
        self.listening.abort();
        close(&self.reception.lobbies);
        let mut all = true;
        for lobby in &self.reception.lobbies {
            all &= timeout_at(deadline, lobby.empty()).await.is_ok();
        }
        all
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.listening.abort();
        close(&self.reception.lobbies);
        // It goes with its folder at the latest.
        let _ = fs::remove_file(&self.path);
    }
}

fn close(lobbies: &[Arc<Lobby>]) {
    for lobby in lobbies {
        lobby.close();
    }
}

/// Starts the instances of all models and waits until they are loaded.
async fn lobbies(registry: &Registry) -> Result<Vec<Arc<Lobby>>, WorkerError> {
    let specs = registry.iter().map(Arc::clone);
    let lobbies: Vec<_> = specs.map(|spec| Arc::new(Lobby::new(spec))).collect();
    let mut loading = Vec::new();
    for lobby in &lobbies {
        loading.push((&lobby.spec, spawn(lobby, &Handle::current())));
    }
    for (spec, instances) in loading {
        if let Err(source) = loaded(spec, instances).await {
            close(&lobbies);
            return Err(WorkerError::Load {
                location: spec.location,
                source,
            });
        }
    }
    Ok(lobbies)
}

/// Waits until the instances of a model are loaded.
async fn loaded(spec: &ModelSpec, instances: io::Result<Vec<Loaded>>) -> Result<(), ModelError> {
    let ended = |instance: usize, message: String| ModelError::Load {
        model: spec.name,
        instance: u32::try_from(instance).unwrap_or(u32::MAX),
        message,
    };
    let instances = instances.map_err(|error| ended(0, error.to_string()))?;
    for (number, loaded) in instances.into_iter().enumerate() {
        let loaded = loaded.await;
        loaded.unwrap_or_else(|error| Err(ended(number, error.to_string())))?;
    }
    Ok(())
}

fn token() -> io::Result<Token> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(Token(bytes))
}
