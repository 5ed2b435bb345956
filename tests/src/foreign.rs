use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::native::{TRIES, free};
use crate::process::wait;
use crate::{HarnessError, Python, Result, Server};

/// How long another server may take until it is ready: Python imports much first.
const READY: Duration = Duration::from_secs(90);

/// How long it may take to end.
const END: Duration = Duration::from_secs(20);

/// A server that is none of ours, on free ports; it ends when it is dropped, with its own children.
#[derive(Debug)]
pub struct Foreign(Server);

impl Foreign {
    /// Starts a Python program, which is told the ports for HTTP, gRPC and metrics, and what else it needs.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Deadline`] with its log when it ends or does not become ready.
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

    /// Where it is.
    pub fn server(&self) -> &Server {
        &self.0
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // One that does not end by itself is killed.
        let _ = self.0.signal("TERM");
        let _ = wait(&mut self.0.child, END);
    }
}
