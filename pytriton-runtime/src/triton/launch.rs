use std::collections::BTreeSet;
use std::io;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use thiserror::Error;

use super::process::{Child, Exit, PortError, Ports, ready};
use super::{Endpoints, Flags, Launch, UnknownFlag, Version, arguments};

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
                Err(exit) if chosen && tries > 0 && server.lost_a_port(&exit) => {
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

/// A server that does not say its version, because its log is elsewhere, may be an old one.
fn exposure(version: Option<Version>, endpoints: &Endpoints, flags: &Flags) -> Option<String> {
    if version.is_some_and(|version| version >= Version::SAFE) {
        return None;
    }
    let open = open_door(endpoints, flags)?;
    let version = version.map_or("of unknown version".to_owned(), |version| {
        version.to_string()
    });
    Some(format!(
        "tritonserver {version} listens on {open}: versions before {} (26.06) have published vulnerabilities, and a \
         single request of anybody who reaches it, or before {} (24.12) a few calls over gRPC that are given up within \
         milliseconds, can end it; use a newer one (--tritonserver PATH), or listen on \
         127.0.0.1 behind a proxy that checks requests, or use the embedded engine (--engine embedded)",
        Version::SAFE,
        Version::CALM
    ))
}

/// Where anybody may come in.
fn open_door(endpoints: &Endpoints, flags: &Flags) -> Option<String> {
    let open = endpoints.all().find(|address| !address.ip().is_loopback());
    if let Some(open) = open {
        return Some(open.to_string());
    }
    // Their addresses cannot be chosen.
    let doors = [
        ("allow-sagemaker", "SageMaker"),
        ("allow-vertex-ai", "Vertex AI"),
    ];
    let (_, name) = doors
        .into_iter()
        .find(|(flag, _)| flags.values(flag).any(|value| value == "true"))?;
    Some(format!("0.0.0.0 for {name}"))
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;

    #[test]
    fn the_warning_says_what_ends_a_server() {
        let anybody = Endpoints {
            grpc: Some(([0, 0, 0, 0], 1).into()),
            ..Endpoints::default()
        };
        let warning = exposure("2.51.0".parse().ok(), &anybody, &Flags::default()).unwrap();
        for part in [
            "tritonserver 2.51.0 listens on 0.0.0.0:1",
            "before 2.70.0 (26.06)",
            "before 2.53.0 (24.12)",
        ] {
            assert!(warning.contains(part), "{warning}");
        }
    }

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
        let flags = |arguments: &[&str]| {
            let command = Flags::augment_args(clap::Command::new("test").no_binary_name(true));
            Flags::from_arg_matches(&command.get_matches_from(arguments)).unwrap()
        };
        for (endpoints, version, expected) in table {
            let warning = exposure(version.parse().ok(), &endpoints, &flags(&[]));
            assert_eq!(warning.is_some(), expected, "{version} {endpoints:?}");
            let unknown = exposure(None, &endpoints, &flags(&[]));
            assert_eq!(unknown.is_some(), endpoints != here, "{endpoints:?}");
        }
        for flag in ["--allow-sagemaker=true", "--allow-vertex-ai=true"] {
            let warning = exposure("2.51.0".parse().ok(), &here, &flags(&[flag])).unwrap();
            assert!(warning.contains("0.0.0.0 for "), "{warning}");
        }
        let flags = flags(&["--allow-sagemaker=false"]);
        assert_eq!(exposure("2.51.0".parse().ok(), &here, &flags), None);
    }
}
