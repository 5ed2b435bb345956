use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use pytriton_tests::{Result, Server};

use crate::python;

/// The time limit of a reply, above the timeouts of the program itself.
const DEADLINE: Duration = Duration::from_secs(60);

/// A Python program that is controlled line by line, and killed when this is dropped.
pub(crate) struct Driven {
    child: Child,
    commands: ChildStdin,
    answers: Receiver<String>,
}

/// NVIDIA's clients over HTTP and gRPC in a separate process.
pub(crate) struct Load(Driven);

/// The results of all calls.
#[derive(Debug)]
pub(crate) struct Report(String);

impl Driven {
    /// Starts a file of `tests/python`.
    pub(crate) fn start(file: &str) -> Result<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let mut child = python()?
            .command()
            .arg(folder.join(file))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(commands), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            panic!("both are piped");
        };
        let (send, answers) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(|line| line.ok());
            lines
                .take_while(|line| send.send(line.clone()).is_ok())
                .count()
        });
        Ok(Self {
            child,
            commands,
            answers,
        })
    }

    /// Sends a line and waits for the reply.
    pub(crate) fn send_line(&mut self, line: &str) -> Result<String> {
        writeln!(self.commands, "{line}")?;
        match self.answers.recv_timeout(DEADLINE) {
            Ok(answer) => Ok(answer),
            Err(error) => panic!("no answer to `{line}`: {error}"),
        }
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Load {
    /// Starts the process.
    pub(crate) fn new() -> Result<Self> {
        Driven::start("load.py").map(Self)
    }

    /// Loads a server until [`end`](Self::end). Returns when every client has received a response.
    pub(crate) fn begin(&mut self, server: &Server, model: &str) -> Result<()> {
        let banner = server.banner();
        let line = format!("begin {} {} {model}", banner.http, banner.grpc);
        assert_eq!(self.0.send_line(&line)?, "warm");
        Ok(())
    }

    /// Waits until every client has received an error after this call.
    pub(crate) fn fails(&mut self) -> Result<()> {
        assert_eq!(self.0.send_line("fails")?, "failed");
        Ok(())
    }

    /// Stops all clients.
    pub(crate) fn end(&mut self) -> Result<Report> {
        self.0.send_line("end").map(Report)
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.0.kill()
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.kill();
    }
}

impl Report {
    /// Checks that no call timed out, was slow or had a wrong response.
    pub(crate) fn check(&self) {
        for part in [r#""hanging": 0"#, r#""slow": []"#, r#""wrong": 0"#] {
            assert!(self.0.contains(part), "{}", self.0);
        }
    }

    /// Returns whether some calls failed.
    pub(crate) fn has_errors(&self) -> bool {
        !self.0.contains(r#""errors": 0,"#)
    }

    /// Returns the complete report.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
