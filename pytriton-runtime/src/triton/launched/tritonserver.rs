use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
#[cfg(not(target_os = "linux"))]
use std::process::Stdio;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{env, fs, io};

use tokio::sync::watch;

use crate::access::{Protocol, VARIABLE};
use crate::triton::allocation::{HUGE_PAGES, allocation};
use crate::triton::engine::PRELOAD;
use crate::triton::process::{Child, Exit, Lender, NotReady, Ports, ready};
use crate::triton::{DescriptorError, Endpoints, Flags, Launch, Placeholders, Version, arguments};

use super::LaunchError;
use super::exposure::exposure;

/// How often free ports are chosen anew when others were faster.
const TRIES: u32 = 5;

/// A tritonserver that answers, or soon will.
#[derive(Debug)]
pub struct Tritonserver {
    child: Child,
    lender: Arc<Lender>,
    endpoints: Endpoints,
    version: Arc<OnceLock<Version>>,
    /// What it has said of its descriptors.
    exhausted: watch::Receiver<Option<DescriptorError>>,
    /// How long it may take to be ready.
    ready_timeout: Duration,
    /// How it is asked whether it serves: it may do so without some models, which it has tried before it answers at all.
    question: &'static str,
}

impl Tritonserver {
    /// Starts a tritonserver and waits until it is ready.
    ///
    /// # Errors
    ///
    /// A [`LaunchError`]; nothing of the server is left then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future kills what was started.
    pub async fn start(
        binary: &Path,
        known: &BTreeSet<String>,
        launch: &Launch,
        environment: &[(&str, String)],
    ) -> Result<Self, LaunchError> {
        let mut tries = TRIES;
        loop {
            tries -= 1;
            let (server, chosen) = Self::spawn(binary, known, launch, environment)?;
            let readiness = tokio::select! {
                biased;
                error = server.exhausted() => return Err(error.into()),
                readiness = server.ready() => readiness,
            };
            match readiness {
                Ok(()) => return Ok(server),
                Err(_) if server.exhausted.borrow().is_some() => {
                    return Err(server.exhausted().await.into());
                }
                Err(NotReady::Ended(exit)) if chosen && tries > 0 && server.lost_a_port(&exit) => {
                    tracing::debug!("somebody else was faster to take a free port: trying others");
                }
                Err(NotReady::Ended(exit)) => return Err(LaunchError::Ended { exit }),
                Err(NotReady::Late(late)) => return Err(LaunchError::Late(late)),
            }
        }
    }

    /// Starts a tritonserver that is not yet ready, and says whether another try would choose other ports.
    ///
    /// # Errors
    ///
    /// A [`LaunchError`].
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
                return Err(LaunchError::Secrets);
            }
            command.env(Placeholders::VARIABLE, "1");
        }
        let huge_pages = fs::read_to_string(HUGE_PAGES).unwrap_or_default();
        // What it makes of options is said by ours.
        command.env_remove("AIP_MODE");
        command.envs(allocation(|name| env::var_os(name), &huge_pages));
        let version = Arc::new(OnceLock::new());
        let said = Arc::clone(&version);
        let (exhaust, exhausted) = watch::channel(None);
        let hear = move |line: &str| {
            if let Some(version) = Version::in_log(line) {
                said.get_or_init(|| version);
            }
            let error = DescriptorError::in_log(line);
            // It may say so a thousand times a second.
            if let Some(error) = error.filter(|_| exhaust.borrow().is_none()) {
                tracing::warn!("{error}");
                exhaust.send_replace(Some(error));
            }
        };
        let failed = |source: io::Error| LaunchError::Spawn {
            binary: binary.display().to_string(),
            source,
        };
        let (lender, input) = Lender::new().map_err(failed)?;
        if !placeholders.is_empty() {
            lender.tell(&placeholders.message()).map_err(failed)?;
        }
        #[cfg(not(target_os = "linux"))]
        let input = Stdio::null();
        let child = Child::spawn(command, input, hear).map_err(failed)?;
        let server = Self {
            child,
            lender: Arc::new(lender),
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

    /// Waits until it is ready.
    ///
    /// # Errors
    ///
    /// [`NotReady`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn ready(&self) -> Result<(), NotReady> {
        ready(
            &self.child,
            &self.endpoints,
            self.question,
            self.ready_timeout,
        )
        .await
    }

    /// Where it answers.
    pub fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }

    /// What it says its version is, when it says so.
    pub fn version(&self) -> Option<Version> {
        self.version.get().copied()
    }

    /// Its process id, as long as it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until it has ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn exited(&self) -> Exit {
        self.child.exited().await
    }

    /// What lends its descriptors, where it has our backend.
    pub fn lender(&self) -> Arc<Lender> {
        Arc::clone(&self.lender)
    }

    /// Asks it to stop.
    pub fn terminate(&self) {
        self.child.terminate();
    }

    /// Asks it to stop, and kills it if it has not within `time`.
    pub async fn stop(&self, time: Duration) -> Exit {
        self.child.stop(time).await
    }

    /// Kills it, if it has nothing to do any more; what it had to say is not a failure then.
    pub async fn end(&self) -> Exit {
        let exit = self.child.kill().await;
        match exit.status.signal() {
            Some(9) => Exit::default(),
            _ => exit,
        }
    }

    /// Waits until it says that it can open nothing more.
    async fn exhausted(&self) -> DescriptorError {
        let mut exhausted = self.exhausted.clone();
        let said = exhausted.wait_for(Option::is_some).await;
        match said.ok().and_then(|error| *error) {
            Some(error) => error,
            // All that it had to say is said.
            None => std::future::pending().await,
        }
    }

    /// Why it should not be reachable from elsewhere, if it is and should not.
    pub fn exposure(&self, flags: &Flags) -> Option<String> {
        exposure(self.version(), &self.endpoints, flags)
    }

    /// Whether it ended because somebody else has taken one of its ports.
    fn lost_a_port(&self, exit: &Exit) -> bool {
        let mut words = exit.last_words.iter();
        // It says so of a certificate that it cannot read, too.
        words.any(|line| line.contains("already in use"))
            && (self.endpoints.all()).any(|address| TcpListener::bind(address).is_err())
    }
}

/// Whether a variable of ours says what tritonserver is told otherwise.
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
