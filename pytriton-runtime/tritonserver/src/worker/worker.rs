use std::fs::{self, File};
use std::future::ready;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use pytriton_backend::session::Token;
use pytriton_backend::{SOCKET_VARIABLE, TOKEN_VARIABLE, return_large_blocks};
use pytriton_core::instance::FatalError;
use pytriton_core::registry::Registry;
use pytriton_engine::loaded_models::LoadedModels;
use pytriton_engine::options::{ControlMode, ControlOptions};
use pytriton_engine::side_channel::SideChannel;
use tokio::net::UnixListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::WorkerError;
use super::listener::Listener;
use super::loads::Loads;
use super::served_models::ServedModels;
use super::sessions::Sessions;

/// The instances of all models, and the socket on which tritonserver connects to them.
#[derive(Debug)]
pub struct Worker {
    path: PathBuf,
    listener: Arc<Listener>,
    side_channel: Arc<SideChannel>,
    down: Arc<AtomicBool>,
    listening: JoinHandle<()>,
}

impl Worker {
    /// Loads all instances of all models, and listens in a folder that only this user can enter.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkerError`] for the first instance that cannot be loaded, or if the socket
    /// cannot be created.
    pub async fn start(registry: &Registry, folder: &Path) -> Result<Self, WorkerError> {
        Self::controlled(registry, folder, folder, &ControlOptions::default()).await
    }

    /// Same as [`start`](Self::start), for the models that `control` selects. In the explicit mode
    /// each load creates new instances; `repository` is tritonserver's model repository.
    ///
    /// # Errors
    ///
    /// Same as [`start`](Self::start), if `control` makes a failed model fatal.
    pub async fn controlled(
        registry: &Registry,
        folder: &Path,
        repository: &Path,
        control: &ControlOptions,
    ) -> Result<Self, WorkerError> {
        let path = folder.join("worker.sock");
        let socket = |source| WorkerError::Socket {
            path: path.clone(),
            source,
        };
        return_large_blocks();
        let user = fs::metadata("/proc/self").map_err(socket)?.uid();
        let bound = UnixListener::bind(&path).map_err(socket)?;
        let side_channel = Arc::default();
        let listener = Arc::new(Listener {
            token: token().map_err(WorkerError::Token)?,
            user,
            models: models(registry, repository, control, &side_channel).await?,
        });
        let listening = tokio::spawn(Arc::clone(&listener).run(bound));
        Ok(Self {
            path,
            listener,
            side_channel,
            down: Arc::default(),
            listening,
        })
    }

    /// Returns the environment for tritonserver.
    ///
    /// The values must not be in the model configuration, which any client can read.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, String)> {
        let path = self.path.to_string_lossy().into_owned();
        let token = self.listener.token.to_text();
        [(SOCKET_VARIABLE, path), (TOKEN_VARIABLE, token)].into_iter()
    }

    /// Returns the requests of this process that await responses of tritonserver.
    pub(crate) fn side_channel(&self) -> &Arc<SideChannel> {
        &self.side_channel
    }

    /// Returns the models that tritonserver has loaded.
    pub(crate) fn loaded_models(&self) -> LoadedModels {
        let models = self.listener.models.iter();
        let specs = models.map(|loads| Arc::clone(loads.spec()));
        let served = self.served_models();
        LoadedModels::new(specs.collect(), move |model| served.is_loaded(model))
    }

    /// Records whether tritonserver is down: one has died, and the next is not ready yet.
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::Relaxed);
    }

    /// Returns whether tritonserver is down.
    pub(crate) fn is_down(&self) -> bool {
        self.down.load(Ordering::Relaxed)
    }

    /// Returns whether, for some time since `since`, no instance was busy and no request for one
    /// was queued in tritonserver.
    ///
    /// A request is queued only while every instance is busy, or while it waits to be batched.
    pub fn is_idle(&self, since: std::time::Instant, time: Duration) -> bool {
        self.listener
            .sessions()
            .all(|sessions| sessions.is_idle(since, time))
    }

    /// Returns the longest time after which tritonserver gives the slot of an idle sequence to a
    /// waiting request.
    pub(crate) fn longest_sequence_idle(&self) -> Duration {
        let sessions = self.listener.sessions();
        let idle = sessions.map(|sessions| sessions.sequence_idle());
        idle.max().unwrap_or_default()
    }

    /// Reports all models as not ready to tritonserver's clients from now on. Requests still run.
    pub(crate) fn stop_being_ready(&self) {
        for sessions in self.listener.sessions() {
            sessions.stop_being_ready();
        }
    }

    /// Returns the state of the models.
    pub fn served_models(&self) -> ServedModels {
        ServedModels::new(&self.listener, &self.down)
    }

    /// Resolves to the fatal error of a model once one occurs.
    pub fn broken(&self) -> impl Future<Output = Option<FatalError>> + Send + use<> {
        let models = self.listener.models.iter();
        let broken: FuturesUnordered<_> = models.map(|of| of.broken()).collect();
        async move { broken.filter_map(ready).boxed().next().await }
    }

    /// Refuses all batches that are not running yet, and ends the streams.
    pub fn refuse(&self) {
        for sessions in self.listener.sessions() {
            sessions.work.refuse();
            sessions.streams.refuse();
        }
    }

    /// Refuses sessions that wait for instances to be created: a function that creates one may
    /// never return.
    pub fn abort_waiting(&self) {
        for loads in &self.listener.models {
            loads.abort_waiting();
        }
    }

    /// Completes running batches and ends the instances. Returns whether all had ended by
    /// `deadline`.
    pub async fn stop(self, deadline: Instant) -> bool {
        self.listening.abort();
        let ending: Vec<Arc<Sessions>> = self.listener.sessions().collect();
        close(&self.listener.models);
        let mut all = true;
        for sessions in ending {
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
        // The folder is removed later in any case.
        let _ = fs::remove_file(&self.path);
    }
}

fn close(models: &[Arc<Loads>]) {
    for loads in models {
        loads.close();
    }
}

/// Creates the instances of all models that are loaded at startup, and waits for them.
async fn models(
    registry: &Registry,
    repository: &Path,
    control: &ControlOptions,
    side_channel: &Arc<SideChannel>,
) -> Result<Vec<Arc<Loads>>, WorkerError> {
    let explicit = control.model_control_mode == ControlMode::Explicit;
    let (mut models, mut pending) = (Vec::new(), Vec::new());
    let served = registry.served();
    for model in registry.registrations() {
        let spec = &model.spec;
        let folder = repository.join(&*spec.name).join(spec.version.to_string());
        let loads = Loads::new(model, explicit.then_some(folder), side_channel);
        if control.at_start(&spec.name) && served.contains(spec) {
            pending.push((Arc::clone(&loads), loads.start_instances()));
        }
        models.push(loads);
    }
    for (loads, instances) in pending {
        let error = match loads.finish_start(instances).await {
            Ok(()) => continue,
            Err(source) => WorkerError::Load {
                location: loads.spec().location,
                source,
            },
        };
        if control.exit_on_error {
            close(&models);
            return Err(error);
        }
        // tritonserver receives the error when it connects for the model.
        tracing::error!(%error, "a model could not be loaded; the server runs without it");
    }
    Ok(models)
}

fn token() -> io::Result<Token> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(Token(bytes))
}
