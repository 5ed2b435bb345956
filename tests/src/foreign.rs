use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::native::{TRIES, free};
use crate::process::wait;
use crate::{HarnessError, Python, Result, Server};

/// The time limit until another server is ready: Python imports are slow.
const READY: Duration = Duration::from_secs(90);

/// The time limit for its end.
const END: Duration = Duration::from_secs(20);

/// A server of another project on free ports. It ends with its children when it is dropped.
#[derive(Debug)]
pub struct Foreign(Server);

impl Foreign {
    /// Starts a Python program. Its arguments are the ports for HTTP, gRPC and metrics, followed by
    /// `arguments`.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`] with its log if it ends or does not become ready.
    pub fn start(python: &Python, program: &Path, arguments: &[&str]) -> Result<Self> {
        let mut tries = TRIES;
        loop {
            tries -= 1;
            let endpoints = free()?;
            let addresses = [endpoints.http, endpoints.grpc, endpoints.metrics];
            let ports = addresses.into_iter().flatten();
            let ports = ports.map(|address| address.port().to_string());
            let mut command: Command = python.command();
            command.arg(program).args(ports).args(arguments);
            match Server::spawn_at(&mut command, &endpoints, READY) {
                Err(HarnessError::Deadline { output, .. })
                    if tries > 0 && output.contains("already in use") => {}
                started => return started.map(Self),
            }
        }
    }

    /// Returns the server.
    pub fn server(&self) -> &Server {
        &self.0
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // A server that does not end on SIGTERM is killed.
        let _ = self.0.signal("TERM");
        let _ = wait(&mut self.0.child, END);
    }
}
