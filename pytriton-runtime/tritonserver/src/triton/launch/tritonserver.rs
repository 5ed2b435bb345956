use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::pin::pin;
use std::process::Command;
#[cfg(not(target_os = "linux"))]
use std::process::Stdio;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{env, fs, io};

use pytriton_engine::access::{Protocol, VARIABLE};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::triton::allocation::{HUGE_PAGES, allocation};
use crate::triton::process::{Child, ExitReport, FdChannel, LogFile, NotReady, Ports, ready};
use crate::triton::{DescriptorError, Endpoints, Flags, Launch, Placeholders, Version, arguments};

use super::LaunchError;
use super::exposure_warning::exposure_warning;

/// The variable that lists libraries to load before those the process is linked with.
pub(in crate::triton) const PRELOAD: &str = "LD_PRELOAD";

/// How often free ports are chosen again after another process took one.
const MAX_PORT_ATTEMPTS: u32 = 5;

/// How long a server that is still starting may take to stop. Its models may have processes and
/// shared memory to release.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a killed server may take to exit. The system may still free its memory.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// A running tritonserver, ready or starting.
#[derive(Debug)]
pub struct Tritonserver {
    child: Child,
    fd_channel: Arc<FdChannel>,
    endpoints: Endpoints,
    version: Arc<OnceLock<Version>>,
    /// The descriptor error that the server has logged.
    exhausted: watch::Receiver<Option<DescriptorError>>,
    /// The time until the server must be ready.
    ready_timeout: Duration,
    /// The health endpoint to poll. A server that may lack some models is polled for liveness: it
    /// responds only after it has tried to load them.
    question: &'static str,
}

impl Tritonserver {
    /// Starts a tritonserver and waits until it is ready. If `stop` is ready before, terminates the
    /// process and waits for its end, or kills it after five seconds.
    ///
    /// # Errors
    ///
    /// Returns a [`LaunchError`], which is [`LaunchError::Stopped`] because of `stop`. No process
    /// is left then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future kills the process.
    pub async fn start(
        binary: &Path,
        known: &BTreeSet<String>,
        launch: &Launch,
        environment: &[(&str, String)],
        stop: impl Future<Output = ()>,
    ) -> Result<Self, LaunchError> {
        let mut stop = pin!(stop);
        let mut tries = MAX_PORT_ATTEMPTS;
        loop {
            tries -= 1;
            let (server, chosen) = Self::spawn(binary, known, launch, environment)?;
            let started = tokio::select! {
                biased;
                () = &mut stop => Err(LaunchError::Stopped),
                error = server.exhausted() => Err(error.into()),
                readiness = server.ready() => readiness.map_err(LaunchError::from),
            };
            let error = match started {
                Ok(()) => return Ok(server),
                Err(LaunchError::Stopped) => {
                    server.end_start().await;
                    return Err(LaunchError::Stopped);
                }
                // The cause of the failure, even if the server has exited because of it.
                Err(_) if server.exhausted.borrow().is_some() => server.exhausted().await.into(),
                Err(LaunchError::Ended { exit })
                    if chosen && tries > 0 && exit.is_port_in_use() =>
                {
                    tracing::debug!("another process took a free port first; trying other ports");
                    continue;
                }
                Err(error) => error,
            };
            server.abandon().await;
            return Err(error);
        }
    }

    /// Starts a tritonserver without waiting for readiness. Also returns whether another attempt
    /// would choose other ports.
    ///
    /// # Errors
    ///
    /// Returns a [`LaunchError`].
    pub fn spawn(
        binary: &Path,
        known: &BTreeSet<String>,
        launch: &Launch,
        environment: &[(&str, String)],
    ) -> Result<(Self, bool), LaunchError> {
        let Ports { endpoints, chosen } = Ports::find(launch.endpoints)?;
        let launch = Launch {
            endpoints,
            ..launch.clone()
        };
        let mut command = Command::new(binary);
        let (arguments, placeholders) = arguments(&launch, known)?;
        command.args(arguments);
        tracing::debug!(?command, "starting tritonserver");
        command.envs(environment.iter().map(|(name, value)| (*name, value)));
        for (name, _) in env::vars_os().filter(|(name, _)| is_secret(name)) {
            command.env_remove(name);
        }
        if !placeholders.is_empty() {
            if !environment.iter().any(|(name, _)| *name == PRELOAD) {
                return Err(LaunchError::secrets(&placeholders.flags()));
            }
            command.env(Placeholders::VARIABLE, "1");
        }
        let huge_pages = fs::read_to_string(HUGE_PAGES).unwrap_or_default();
        // Our command line replaces the options that this variable would set.
        command.env_remove("AIP_MODE");
        command.envs(allocation(|name| env::var_os(name), &huge_pages));
        let version = Arc::new(OnceLock::new());
        let version_slot = Arc::clone(&version);
        let (exhaust, exhausted) = watch::channel(None);
        let on_line = move |line: &str| {
            if let Some(version) = Version::in_log(line) {
                version_slot.get_or_init(|| version);
            }
            let error = DescriptorError::in_log(line);
            // The server may log this a thousand times a second.
            if let Some(error) = error.filter(|_| exhaust.borrow().is_none()) {
                tracing::warn!("{error}");
                exhaust.send_replace(Some(error));
            }
        };
        let failed = |source: io::Error| LaunchError::Spawn {
            binary: binary.display().to_string(),
            source,
        };
        let (fd_channel, input) = FdChannel::new().map_err(failed)?;
        if !placeholders.is_empty() {
            fd_channel
                .send_message(&placeholders.message())
                .map_err(failed)?;
        }
        #[cfg(not(target_os = "linux"))]
        let input = Stdio::null();
        let log_file = launch.flags.values("log-file").last();
        let log_file = log_file.map(|path| LogFile::new(path.as_ref()));
        let child = Child::spawn(command, input, on_line).map_err(failed)?;
        let child = child.logging_to(log_file);
        let server = Self {
            child,
            fd_channel: Arc::new(fd_channel),
            endpoints,
            version,
            exhausted,
            ready_timeout: Duration::from_secs(launch.ready_timeout_secs),
            question: match launch.control.exit_on_error {
                true => "ready",
                false => "live",
            },
        };
        Ok((server, chosen))
    }

    /// Waits until the server is ready.
    ///
    /// # Errors
    ///
    /// Returns [`NotReady`] if it exits or takes too long.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn ready(&self) -> Result<(), NotReady> {
        ready(
            &self.child,
            &self.endpoints,
            self.question,
            self.ready_timeout,
        )
        .await
    }

    /// Returns its addresses.
    pub fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }

    /// Returns its version, once the log has reported it.
    pub fn version(&self) -> Option<Version> {
        self.version.get().copied()
    }

    /// Returns the process id while it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until it has exited.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn exited(&self) -> ExitReport {
        self.child.exited().await
    }

    /// Returns the channel through which our backend passes descriptors.
    pub fn fd_channel(&self) -> Arc<FdChannel> {
        Arc::clone(&self.fd_channel)
    }

    /// Sends `SIGTERM`.
    pub fn terminate(&self) {
        self.child.terminate();
    }

    /// Sends `SIGTERM`, and kills the server if it has not exited within `time`.
    pub async fn stop(&self, time: Duration) -> ExitReport {
        self.child.stop(time).await
    }

    /// Kills a server that has nothing left to do. The kill does not count as a failure.
    pub async fn end(&self) -> ExitReport {
        let exit = self.child.kill().await;
        match exit.status.signal() {
            Some(9) => ExitReport::default(),
            _ => exit,
        }
    }

    /// Stops a server that is still starting.
    async fn end_start(&self) {
        tracing::debug!("stopping tritonserver, which is still starting");
        if timeout(STOP_TIMEOUT + KILL_TIMEOUT, self.stop(STOP_TIMEOUT))
            .await
            .is_err()
        {
            tracing::warn!("tritonserver still runs although it was killed");
        }
    }

    /// Kills a server that cannot be used, and waits until its ports are free.
    pub(in crate::triton) async fn abandon(&self) {
        if timeout(KILL_TIMEOUT, self.child.kill()).await.is_err() {
            let seconds = KILL_TIMEOUT.as_secs();
            tracing::warn!(seconds, "tritonserver still runs although it was killed");
        }
    }

    /// Waits until it reports that it ran out of descriptors.
    async fn exhausted(&self) -> DescriptorError {
        let mut exhausted = self.exhausted.clone();
        let reported = exhausted.wait_for(Option::is_some).await;
        match reported.ok().and_then(|error| *error) {
            Some(error) => error,
            // The output has ended without such a report.
            None => std::future::pending().await,
        }
    }

    /// Returns a warning if the server is reachable from other machines and should not be.
    pub fn exposure(&self, flags: &Flags) -> Option<String> {
        exposure_warning(self.version(), &self.endpoints, flags)
    }
}

/// Returns whether the variable sets an option that tritonserver receives in another way.
fn is_secret(variable: &OsStr) -> bool {
    let options = Protocol::ALL.map(|protocol| {
        let option = protocol.option().replace('-', "_").to_uppercase();
        format!("PYTRITON_TRITON_CONFIG_{option}")
    });
    let variable = variable.as_encoded_bytes();
    let begins = |name: &String| variable.starts_with(name.as_bytes());
    variable == VARIABLE.as_bytes()
        || options.iter().any(begins)
        || variable.starts_with(b"PYTRITON_TRITON_CONFIG_CACHE_CONFIG")
}
