use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use pytriton_tests::{Result, Server};

use crate::python;

/// Far more than any of its answers takes.
const DEADLINE: Duration = Duration::from_secs(20);

/// Clients of NVIDIA's over HTTP and gRPC, in a process of their own that is killed when this is dropped.
pub(crate) struct Load {
    child: Child,
    commands: ChildStdin,
    answers: Receiver<String>,
}

/// What became of all calls.
#[derive(Debug)]
pub(crate) struct Report(String);

impl Load {
    /// Starts the process.
    pub(crate) fn new() -> Result<Self> {
        let mut child = python()?
            .command()
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python/load.py"))
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

    /// Loads a server until [`end`](Self::end); returns when every client has had an answer.
    pub(crate) fn begin(&mut self, server: &Server, model: &str) -> Result<()> {
        let banner = server.banner();
        let answer = self.say(&format!("begin {} {} {model}", banner.http, banner.grpc))?;
        assert_eq!(answer, "warm");
        Ok(())
    }

    /// Waits until every client has had an error from now on.
    pub(crate) fn fails(&mut self) -> Result<()> {
        assert_eq!(self.say("fails")?, "failed");
        Ok(())
    }

    /// Lets every client end.
    pub(crate) fn end(&mut self) -> Result<Report> {
        self.say("end").map(Report)
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    fn say(&mut self, line: &str) -> Result<String> {
        writeln!(self.commands, "{line}")?;
        match self.answers.recv_timeout(DEADLINE) {
            Ok(answer) => Ok(answer),
            Err(error) => panic!("no answer to `{line}`: {error}"),
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.kill();
    }
}

impl Report {
    /// Nothing hung, nothing was slow, no answer was wrong.
    pub(crate) fn check(&self) {
        for part in [r#""hanging": 0"#, r#""slow": []"#, r#""wrong": 0"#] {
            assert!(self.0.contains(part), "{}", self.0);
        }
    }

    /// Whether some calls failed.
    pub(crate) fn has_errors(&self) -> bool {
        !self.0.contains(r#""errors": 0,"#)
    }

    /// All of it.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
