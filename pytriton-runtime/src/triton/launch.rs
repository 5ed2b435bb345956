use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use thiserror::Error;

use super::process::{Child, Exit, PortError, Ports, ready};
use super::{Endpoints, Launch, UnknownFlag, Version, arguments};

/// How often free ports are chosen anew when others were faster.
const TRIES: u32 = 5;

/// How much longer than its own timeout a server may take to stop.
const GRACE: Duration = Duration::from_secs(5);

/// A tritonserver that answers, or soon will.
#[derive(Debug)]
pub struct Tritonserver {
    child: Child,
    endpoints: Endpoints,
    version: Arc<OnceLock<Version>>,
    exit_timeout: Duration,
}

/// Why a tritonserver does not answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// It lacks an option.
    #[error(transparent)]
    Flag(#[from] UnknownFlag),
    /// It cannot have a port.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The system cannot start it.
    #[error("cannot start {binary}: {source}")]
    Spawn {
        /// The binary.
        binary: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It ended before it was ready.
    #[error("tritonserver {exit}")]
    Ended {
        /// How, and its own words.
        exit: Exit,
    },
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
            match server.ready().await {
                Ok(()) => return Ok(server),
                Err(exit) if chosen && tries > 0 && lost_a_port(&exit) => {
                    tracing::debug!("somebody else was faster to take a free port: trying others");
                }
                Err(exit) => return Err(LaunchError::Ended { exit }),
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
        command.args(arguments(&launch, known)?);
        tracing::debug!(?command, "starting tritonserver");
        command.envs(environment.iter().map(|(name, value)| (*name, value)));
        let version = Arc::new(OnceLock::new());
        let said = Arc::clone(&version);
        let hear = move |line: &str| {
            if let Some(version) = Version::in_log(line) {
                said.get_or_init(|| version);
            }
        };
        let child = Child::spawn(command, hear).map_err(|source| LaunchError::Spawn {
            binary: binary.display().to_string(),
            source,
        })?;
        let server = Self {
            child,
            endpoints,
            version,
            exit_timeout: Duration::from_secs(launch.exit_timeout_secs),
        };
        Ok((server, chosen))
    }

    /// Waits until it is ready.
    ///
    /// # Errors
    ///
    /// How it ended, when it ended before.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn ready(&self) -> Result<(), Exit> {
        ready(&self.child, &self.endpoints).await
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

    /// Lets it answer what it has accepted, and stops it.
    pub async fn stop(&self) -> Exit {
        self.child
            .stop(self.exit_timeout.saturating_add(GRACE))
            .await
    }

    /// Ends it at once, where it has nothing to do any more; what it had to say is not a failure then.
    pub async fn end(&self) -> Exit {
        tracing::debug!(
            "nothing is under way: tritonserver is ended with its clients' connections"
        );
        let exit = self.child.kill().await;
        match exit.status.signal() {
            Some(9) => Exit::default(),
            _ => exit,
        }
    }

    /// Why it should not be reachable from elsewhere, if it is and should not.
    pub fn exposure(&self) -> Option<String> {
        exposure(self.version()?, &self.endpoints)
    }
}

/// Whether the server ended because a port was taken.
fn lost_a_port(exit: &Exit) -> bool {
    exit.last_words
        .iter()
        .any(|line| line.contains("already in use"))
}

fn exposure(version: Version, endpoints: &Endpoints) -> Option<String> {
    let Endpoints {
        http,
        grpc,
        metrics,
    } = *endpoints;
    let all = [http, grpc, metrics];
    let open = all
        .into_iter()
        .flatten()
        .find(|address| !address.ip().is_loopback())?;
    (version < Version::SAFE).then(|| {
        format!(
            "tritonserver {version} listens on {open}: versions before {} (26.06) have published vulnerabilities, and a \
             single request of anybody who reaches it can end it; use a newer one (--tritonserver PATH), or listen on \
             127.0.0.1 behind a proxy that checks requests, or use the embedded engine (--engine embedded)",
            Version::SAFE
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_server_that_others_reach_is_warned_of() {
        let at = |text: &str| Some(text.parse().unwrap());
        let here = Endpoints {
            http: at("127.0.0.1:1"),
            grpc: at("[::1]:2"),
            metrics: None,
        };
        let table = [
            (here, "2.51.0", false),
            (
                Endpoints {
                    http: at("0.0.0.0:1"),
                    ..here
                },
                "2.51.0",
                true,
            ),
            (
                Endpoints {
                    grpc: at("10.0.0.1:1"),
                    ..here
                },
                "2.69.0",
                true,
            ),
            (
                Endpoints {
                    metrics: at("[::]:1"),
                    ..here
                },
                "2.69.0",
                true,
            ),
            (
                Endpoints {
                    http: at("0.0.0.0:1"),
                    ..here
                },
                "2.70.0",
                false,
            ),
        ];
        for (endpoints, version, expected) in table {
            let warning = exposure(version.parse().unwrap(), &endpoints);
            assert_eq!(warning.is_some(), expected, "{version} {endpoints:?}");
        }
    }
}
