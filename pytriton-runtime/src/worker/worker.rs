use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pytriton_backend::session::Token;
use pytriton_backend::{SOCKET_VARIABLE, TOKEN_VARIABLE, return_large_blocks};
use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::call::ModelError;
use crate::gathered::calls;
use crate::model::ModelSpec;
use crate::registry::Registry;
use crate::runner::Availability;

use super::WorkerError;
use super::instance::{Loaded, spawn};
use super::listener::Listener;
use super::sessions::Sessions;

/// All instances of all models, and the socket at which tritonserver finds them.
#[derive(Debug)]
pub struct Worker {
    path: PathBuf,
    listener: Arc<Listener>,
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
        return_large_blocks();
        let user = fs::metadata("/proc/self").map_err(socket)?.uid();
        let bound = UnixListener::bind(&path).map_err(socket)?;
        let listener = Arc::new(Listener {
            token: token().map_err(WorkerError::Token)?,
            user,
            models: models(registry).await?,
        });
        let listening = tokio::spawn(Arc::clone(&listener).run(bound));
        Ok(Self {
            path,
            listener,
            listening,
        })
    }

    /// What tritonserver's environment must carry.
    ///
    /// Not the models' configuration: any client may read that.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, String)> {
        let path = self.path.to_string_lossy().into_owned();
        let token = self.listener.token.to_text();
        [(SOCKET_VARIABLE, path), (TOKEN_VARIABLE, token)].into_iter()
    }

    /// Whether for some time after `since` no instance has had anything to do, and tritonserver has nothing for them that waits.
    ///
    /// A request waits only as long as every instance is busy, or for the company that its model wishes for.
    pub fn quiet(&self, since: std::time::Instant, time: Duration) -> bool {
        self.listener
            .models
            .iter()
            .all(|sessions| sessions.quiet(since, time))
    }

    /// Says, whenever it is asked, whether every model has an instance that takes requests.
    pub fn instances_ready(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let listener = Arc::clone(&self.listener);
        move || {
            let mut models = listener.models.iter();
            models.all(|sessions| sessions.instances.availability() == Availability::Ready)
        }
    }

    /// Refuses all batches that are not yet being executed, and ends what is being answered bit by bit.
    pub fn refuse(&self) {
        for sessions in &self.listener.models {
            sessions.work.refuse();
            sessions.streams.refuse();
        }
    }

    /// Answers the batches that are under way and ends the instances; returns whether all had ended by `deadline`.
    pub async fn stop(self, deadline: Instant) -> bool {
        self.listening.abort();
        close(&self.listener.models);
        let mut all = true;
        for sessions in &self.listener.models {
            all &= timeout_at(deadline, sessions.instances.ended())
                .await
                .is_ok();
        }
        all
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.listening.abort();
        close(&self.listener.models);
        // It goes with its folder at the latest.
        let _ = fs::remove_file(&self.path);
    }
}

fn close(models: &[Arc<Sessions>]) {
    for sessions in models {
        sessions.close();
    }
}

/// Starts the instances of all models and waits until they are loaded.
async fn models(registry: &Registry) -> Result<Vec<Arc<Sessions>>, WorkerError> {
    let (mut models, mut loading) = (Vec::new(), Vec::new());
    for model in registry.registrations() {
        let spec = &model.spec;
        let (in_flight, instances) = (
            spec.batches_in_flight as usize,
            spec.instances.count() as usize,
        );
        let (calls, end) = calls(in_flight.saturating_mul(instances));
        let sessions = Sessions::new(Arc::clone(spec), calls, end);
        loading.push((spec, spawn(&sessions, model, &Handle::current())));
        models.push(sessions);
    }
    for (spec, instances) in loading {
        if let Err(source) = loaded(spec, instances).await {
            close(&models);
            return Err(WorkerError::Load {
                location: spec.location,
                source,
            });
        }
    }
    Ok(models)
}

/// Waits until the instances of a model are loaded.
async fn loaded(spec: &ModelSpec, instances: io::Result<Vec<Loaded>>) -> Result<(), ModelError> {
    let ended = |instance: usize, message: String| ModelError::Load {
        model: Arc::clone(&spec.name),
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
