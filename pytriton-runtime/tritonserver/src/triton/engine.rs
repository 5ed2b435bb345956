use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use pytriton_core::instance::FatalError;
use pytriton_core::registry::Registry;
use pytriton_engine::RunningTritonserver;
use pytriton_engine::options::NoTritonserver;
use pytriton_engine::tls::grpc_uses_tls;
use thiserror::Error;
use tokio::time::{Instant, sleep};

use crate::worker::{BACKEND_LIBRARY, BACKEND_NAME, ServedModels, Worker, WorkerError};

use super::launch::PRELOAD;
use super::process::{ExitReport, NotReady, Workspace, WorkspaceError};
use super::stopping::{OwnConnections, Stopped, Stopping};
use super::{
    DescriptorError, Endpoints, Launch, LaunchError, Located, Probe, Tritonserver, WriteError,
    cache, write_repository,
};

/// The delay before a dead tritonserver is restarted. It doubles with every death up to the
/// maximum.
const MIN_RESTART_DELAY: Duration = Duration::from_millis(100);
const MAX_RESTART_DELAY: Duration = Duration::from_secs(10);

/// A server that lived this long resets the delay.
const STABLE_UPTIME: Duration = Duration::from_secs(60);

/// How long instances may take to stop once they receive no more requests.
const WORKER_STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// A tritonserver that serves our models, and the instances behind it.
#[derive(Debug)]
pub struct TritonEngine {
    binary: PathBuf,
    probe: Probe,
    launch: Launch,
    // Drop order: the server before its instances, the folder last.
    server: Tritonserver,
    worker: Worker,
    _workspace: Workspace,
}

/// The tritonserver engine cannot serve.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The limit of open files is too low.
    #[error(transparent)]
    Descriptors(#[from] DescriptorError),
    /// The folder for the server's files cannot be created.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The models cannot be loaded.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The model repository cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The backend cannot be written.
    #[error("cannot write {path}: {source}", path = path.display())]
    Backend {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// This binary contains no backend for tritonserver.
    #[error(transparent)]
    NoTritonserver(#[from] NoTritonserver),
    /// tritonserver does not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl TritonEngine {
    /// Loads the models and starts a tritonserver that serves them. `launch` is the configuration;
    /// its folders are set here. If `stop` is ready before the server is, the start ends, and with
    /// it tritonserver.
    ///
    /// # Errors
    ///
    /// Returns an [`EngineError`]. Nothing is left behind then.
    pub async fn start(
        registry: &Registry,
        located: &Located,
        probe: Probe,
        mut launch: Launch,
        stop: impl Future<Output = ()>,
    ) -> Result<Self, EngineError> {
        let mut stop = pin!(stop);
        DescriptorError::check(registry)?;
        let workspace = workspace()?;
        launch.repository = workspace.path().join("models");
        launch.backends = workspace.path().join("backends");
        launch.caches = located.caches();
        launch.response_cache = registry.iter().any(|spec| spec.call_options.response_cache);
        write_repository(&launch.repository, BACKEND_NAME, registry)?;
        // The server's own backends are needed only for models that the user adds.
        let others = located
            .backends()
            .filter(|_| launch.flags.contains("model-repository"));
        write_backends(&launch.backends, others.as_deref())?;
        let folder = workspace.path();
        let loading = Worker::controlled(registry, folder, &launch.repository, &launch.control);
        let worker = tokio::select! {
            worker = loading => worker?,
            () = &mut stop => return Err(LaunchError::Stopped.into()),
        };
        let binary = located.binary.clone();
        let environment = environment(&worker, &launch);
        let server = Tritonserver::start(&binary, &probe.flags, &launch, &environment, stop);
        let server = server.await?;
        // After a restart the server must listen on the same addresses.
        launch.endpoints = *server.endpoints();
        if let Some(warning) = server.exposure(&launch.flags) {
            tracing::warn!("{warning}");
        }
        Ok(Self {
            binary,
            probe,
            launch,
            server,
            worker,
            _workspace: workspace,
        })
    }

    /// Returns the addresses of the server.
    pub fn endpoints(&self) -> &Endpoints {
        &self.launch.endpoints
    }

    /// Returns the server as the ports of this process next to it use it.
    pub fn running(&self) -> RunningTritonserver {
        let grpc_tls = grpc_uses_tls(&self.launch.flags);
        RunningTritonserver {
            addresses: self.endpoints().addresses(grpc_tls),
            access: Arc::clone(&self.launch.access),
            models: self.worker.loaded_models(),
            side_channel: Arc::clone(self.worker.side_channel()),
        }
    }

    /// Returns the state of the models.
    pub fn served_models(&self) -> ServedModels {
        self.worker.served_models()
    }

    /// Resolves to the fatal error of a model once one occurs.
    pub fn broken(&self) -> impl Future<Output = Option<FatalError>> + Send + use<> {
        self.worker.broken()
    }

    /// Waits until tritonserver has exited.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn died(&self) -> ExitReport {
        self.server.exited().await
    }

    /// Restarts tritonserver whenever it dies.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves tritonserver running, starting or dead, as it is at that moment.
    pub async fn keep_alive(&mut self) {
        let mut pause = MIN_RESTART_DELAY;
        loop {
            let born = Instant::now();
            let exit = self.server.exited().await;
            self.worker.set_down(true);
            if born.elapsed() > STABLE_UPTIME {
                pause = MIN_RESTART_DELAY;
            }
            let milliseconds = pause.as_millis();
            tracing::error!("tritonserver {exit:#}; restarting it in {milliseconds} ms");
            loop {
                sleep(pause).await;
                pause = pause.saturating_mul(2).min(MAX_RESTART_DELAY);
                self.launch.access.reload().await;
                match self.spawn() {
                    Ok(server) => break self.server = server,
                    Err(error) => tracing::error!("{error}"),
                }
            }
            match self.server.ready().await {
                Ok(()) => {
                    self.worker.set_down(false);
                    tracing::info!("tritonserver is ready again");
                }
                Err(NotReady::StartupTimeout(late)) => {
                    tracing::error!("tritonserver {late}; killing it");
                    self.server.end().await;
                }
                // The loop reports the exit before the next start.
                Err(NotReady::Ended(_)) => {}
            }
        }
    }

    fn spawn(&self) -> Result<Tritonserver, LaunchError> {
        let environment = environment(&self.worker, &self.launch);
        let known = &self.probe.flags;
        let (server, _) = Tritonserver::spawn(&self.binary, known, &self.launch, &environment)?;
        Ok(server)
    }

    /// Reports the server and its models as not ready to tritonserver's clients from now on.
    pub fn stop_being_ready(&self) {
        self.worker.stop_being_ready();
    }

    /// Kills tritonserver, and waits until it has exited, so that its ports are free.
    pub async fn abandon(&self) {
        self.server.abandon().await;
    }

    /// Lets tritonserver respond to accepted requests until `deadline`, then stops it and the
    /// instances. `own` describes the requests that this process still sends to it.
    ///
    /// A server that was being restarted counts as stopped successfully: its messages are already
    /// logged.
    pub async fn stop(self, deadline: Instant, own: OwnConnections) -> Stopped {
        self.worker.abort_waiting();
        let down = self.worker.is_down();
        let mut stopped = Stopping::new(&self.server, &self.worker, &self.launch, deadline, own)
            .stop()
            .await;
        if !self.worker.stop(Instant::now() + WORKER_STOP_TIMEOUT).await {
            tracing::warn!(
                "an instance is still executing a request whose client has disconnected"
            );
        }
        if down {
            stopped.exit = ExitReport::default();
        }
        stopped
    }
}

/// Creates a workspace in the first folder that permits it. Returns the error of the last folder if
/// none does.
fn workspace() -> Result<Workspace, WorkspaceError> {
    let (cache, temporary) = cache::workspaces();
    match cache.map(|folder| Workspace::create(&folder)) {
        Some(Ok(workspace)) => return Ok(workspace),
        Some(Err(error)) => tracing::debug!("{error}"),
        None => {}
    }
    Workspace::create(&temporary)
}

/// Returns the environment of tritonserver.
///
/// Our library is preloaded so that the server reports readiness correctly: before 25.12 it does
/// not query its backends.
fn environment(worker: &Worker, launch: &Launch) -> Vec<(&'static str, String)> {
    let mut environment: Vec<_> = worker.environment().collect();
    let library = library(&launch.backends);
    let library = library.to_string_lossy();
    // `LD_PRELOAD` uses both characters as separators.
    if library.contains([':', ' ']) {
        tracing::warn!(
            "readiness does not reflect lost instances, because '{library}' cannot be preloaded into tritonserver"
        );
        return environment;
    }
    let others = env::var(PRELOAD).ok().filter(|others| !others.is_empty());
    let preload = others.map_or_else(
        || library.to_string(),
        |others| format!("{library}:{others}"),
    );
    environment.push((PRELOAD, preload));
    environment
}

fn library(backends: &Path) -> PathBuf {
    let name = format!("libtriton_{BACKEND_NAME}.so");
    backends.join(BACKEND_NAME).join(name)
}

/// Writes our backend into a folder, with links to the server's own backends.
fn write_backends(folder: &Path, others: Option<&Path>) -> Result<(), EngineError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| EngineError::Backend { path, source }
    };
    let bytes = BACKEND_LIBRARY?;
    let ours = folder.join(BACKEND_NAME);
    fs::create_dir_all(&ours).map_err(failed(&ours))?;
    let library = ours.join(format!("libtriton_{BACKEND_NAME}.so"));
    fs::write(&library, bytes).map_err(failed(&library))?;
    let others = others.and_then(|others| fs::read_dir(others).ok());
    for entry in others.into_iter().flatten().flatten() {
        let link = folder.join(entry.file_name());
        if !link.exists() {
            symlink(entry.path(), &link).map_err(failed(&link))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Arc;

    use pytriton_engine::options::ControlOptions;
    use pytriton_kserve::configuration::table::TABLE;

    use crate::triton::{Flags, Found, install};

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn tritonserver_accepts_every_configuration() {
        // The installation that the tests of all crates share, next to `target/debug/deps/…`.
        let program = env::current_exe().unwrap();
        let folder = program.ancestors().nth(3).unwrap();
        let folder = folder.join("tmp/cache/pytriton/tritonserver/2.51.0");
        let installed = install::install_to(&folder).unwrap();
        let located = Located {
            binary: installed.folder.join("bin/tritonserver"),
            found: Found::Cache,
        };
        let probe = Probe::new(&located.binary).unwrap();
        let launch = Launch {
            endpoints: Endpoints {
                http: Some(([127, 0, 0, 1], 0).into()),
                ..Endpoints::default()
            },
            http_header_forward_pattern: String::new(),
            grpc_header_forward_pattern: String::new(),
            exit_timeout_secs: 5,
            ready_timeout_secs: 600,
            log_verbose: 0,
            max_request_bytes: 64 << 20,
            repository: PathBuf::new(),
            backends: PathBuf::new(),
            caches: None,
            response_cache: false,
            access: Arc::default(),
            control: ControlOptions::default(),
            flags: Flags::default(),
        };
        let declarations: Vec<_> = TABLE.iter().map(|(_, declaration)| declaration).collect();
        let registry = Registry::new(&declarations).unwrap();
        let engine = TritonEngine::start(&registry, &located, probe, launch, pending());
        let engine = engine.await.unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        let stopped = engine.stop(deadline, OwnConnections::default()).await;
        assert!(stopped.exit.success(), "{}", stopped.exit);
        assert_eq!(stopped.cut, 0);
    }
}
