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
use tokio::net::UnixListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::claims::Claims;
use crate::engine::{ControlMode, ControlOptions};
#[cfg(feature = "embedded")]
use crate::hosted::{Hosted, HostedModels};
use crate::model::ModelSpec;
use crate::registry::Registry;
use crate::runner::{Availability, Breakdown};

use super::WorkerError;
#[cfg(feature = "embedded")]
use super::hosted::HostedLoads;
use super::listener::Listener;
use super::loads::Loads;
use super::sessions::Sessions;

/// All instances of all models, and the socket at which tritonserver finds them.
#[derive(Debug)]
pub struct Worker {
    path: PathBuf,
    listener: Arc<Listener>,
    #[cfg(feature = "embedded")]
    claims: Arc<Claims>,
    away: Arc<AtomicBool>,
    listening: JoinHandle<()>,
}

impl Worker {
    /// Loads all instances of all models, and listens in a folder that only this user can enter.
    ///
    /// # Errors
    ///
    /// A [`WorkerError`] for the first instance that cannot be loaded, or when the folder takes no socket.
    pub async fn start(registry: &Registry, folder: &Path) -> Result<Self, WorkerError> {
        Self::controlled(registry, folder, folder, &ControlOptions::default()).await
    }

    /// The same with those models that the options say. Where clients say when models are loaded, each load makes instances
    /// anew; `repository` is where tritonserver has the models.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start), where the options let such a model end the server.
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
        let claims = Arc::default();
        let listener = Arc::new(Listener {
            token: token().map_err(WorkerError::Token)?,
            user,
            models: models(registry, repository, control, &claims).await?,
        });
        let listening = tokio::spawn(Arc::clone(&listener).run(bound));
        Ok(Self {
            path,
            listener,
            #[cfg(feature = "embedded")]
            claims,
            away: Arc::default(),
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

    /// Who of this process awaits answers to what tritonserver is asked.
    #[cfg(feature = "embedded")]
    pub(crate) fn claims(&self) -> &Arc<Claims> {
        &self.claims
    }

    /// What tritonserver has of the models.
    #[cfg(feature = "embedded")]
    pub(crate) fn hosted(&self) -> HostedModels {
        let models = self.listener.models.iter();
        let models = models.map(|loads| -> Arc<dyn Hosted> {
            Arc::new(HostedLoads {
                loads: Arc::clone(loads),
                away: Arc::clone(&self.away),
            })
        });
        HostedModels::new(models.collect())
    }

    /// Notes whether there is no tritonserver: one has died, and the next is not yet ready.
    pub(crate) fn set_away(&self, away: bool) {
        self.away.store(away, Ordering::Relaxed);
    }

    /// Whether there is none.
    pub(crate) fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed)
    }

    /// Whether for some time after `since` no instance has had anything to do, and tritonserver has nothing for them that waits.
    ///
    /// A request waits only as long as every instance is busy, or for the company that its model wishes for.
    pub fn quiet(&self, since: std::time::Instant, time: Duration) -> bool {
        self.listener
            .sessions()
            .all(|sessions| sessions.quiet(since, time))
    }

    /// The longest time after which tritonserver gives the slot of an idle sequence to a request that waits for one.
    pub(crate) fn longest_sequence_idle(&self) -> Duration {
        let sessions = self.listener.sessions();
        let idle = sessions.map(|sessions| sessions.sequence_idle());
        idle.max().unwrap_or_default()
    }

    /// Reports all models as not ready to tritonserver's clients from now on; requests are executed as before.
    pub(crate) fn stop_being_ready(&self) {
        for sessions in self.listener.sessions() {
            sessions.stop_being_ready();
        }
    }

    /// Says, whenever it is asked, whether there is a tritonserver, and every model has an instance that takes requests.
    pub fn is_ready(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let (listener, away) = (Arc::clone(&self.listener), Arc::clone(&self.away));
        move || {
            let mut models = listener.sessions();
            !away.load(Ordering::Relaxed)
                && models.all(|sessions| sessions.instances.availability() == Availability::Ready)
        }
    }

    /// Says, whenever it is asked, whether tritonserver has a model.
    pub fn has(&self) -> impl Fn(&ModelSpec) -> bool + Send + Sync + use<> {
        let listener = Arc::clone(&self.listener);
        move |model| {
            let found = listener.find(&model.name, model.version.into());
            found.is_some_and(|loads| loads.is_loaded())
        }
    }

    /// Why one of the models is beyond repair, once one is.
    pub fn broken(&self) -> impl Future<Output = Option<Breakdown>> + Send + use<> {
        let models = self.listener.models.iter();
        let broken: FuturesUnordered<_> = models.map(|of| of.broken()).collect();
        async move { broken.filter_map(ready).boxed().next().await }
    }

    /// Refuses all batches that are not yet being executed, and ends what is being answered bit by bit.
    pub fn refuse(&self) {
        for sessions in self.listener.sessions() {
            sessions.work.refuse();
            sessions.streams.refuse();
        }
    }

    /// Refuses sessions that wait for instances which are being made: a function that makes them may never come back.
    pub fn wait_no_more(&self) {
        for loads in &self.listener.models {
            loads.wait_no_more();
        }
    }

    /// Answers the batches that are under way and ends the instances; returns whether all had ended by `deadline`.
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
        // It goes with its folder at the latest.
        let _ = fs::remove_file(&self.path);
    }
}

fn close(models: &[Arc<Loads>]) {
    for loads in models {
        loads.close();
    }
}

/// Makes the instances of all models that are loaded at the start, and waits until they are.
async fn models(
    registry: &Registry,
    repository: &Path,
    control: &ControlOptions,
    claims: &Arc<Claims>,
) -> Result<Vec<Arc<Loads>>, WorkerError> {
    let explicit = control.model_control_mode == ControlMode::Explicit;
    let (mut models, mut making) = (Vec::new(), Vec::new());
    let served = registry.served();
    for model in registry.registrations() {
        let spec = &model.spec;
        let folder = repository.join(&*spec.name).join(spec.version.to_string());
        let loads = Loads::new(model, explicit.then_some(folder), claims);
        if control.at_start(&spec.name) && served.contains(spec) {
            making.push((Arc::clone(&loads), loads.make()));
        }
        models.push(loads);
    }
    for (loads, instances) in making {
        let error = match loads.made(instances).await {
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
        // tritonserver, which asks for it, is told.
        tracing::error!(%error, "the server goes on without a model");
    }
    Ok(models)
}

fn token() -> io::Result<Token> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(Token(bytes))
}
