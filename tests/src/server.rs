use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::{NamedTempFile, TempDir};

use crate::process::{TICK, embedded, poll, wait};
use crate::{Banner, Engine, HarnessError, Result};

/// The time limit until a server is ready. On an idle machine it takes milliseconds.
pub(crate) const READY: Duration = Duration::from_secs(20);

/// The time limit until a log line is written.
const LOGGED: Duration = Duration::from_secs(10);

/// Lets the system choose all ports.
const FREE_PORTS: [&str; 10] = [
    "--http-port",
    "0",
    "--grpc-port",
    "0",
    "--metrics-port",
    "0",
    "--openai-port",
    "0",
    "--docs-port",
    "0",
];

/// A running server, which is killed when it is dropped.
#[derive(Debug)]
pub struct Server {
    pub(crate) child: Child,
    pub(crate) engine: Engine,
    pub(crate) banner: Banner,
    pub(crate) log: NamedTempFile,
    /// A directory that must exist as long as the server runs.
    pub(crate) folder: Option<TempDir>,
}

impl Server {
    /// Starts a server binary on free ports and waits for its banner.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`] with its log if the banner does not arrive.
    pub fn start(binary: impl AsRef<Path>, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(binary.as_ref());
        command.args(FREE_PORTS).args(arguments);
        Self::spawn(&mut command)
    }

    /// Starts a server binary with an engine on free ports. The requirements of the engine are
    /// installed in the directory if necessary.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`] with its log if the banner does not arrive.
    pub fn start_with(
        engine: Engine,
        folder: &Path,
        binary: impl AsRef<Path>,
        arguments: &[&str],
    ) -> Result<Self> {
        let mut command = engine.command(binary.as_ref(), folder)?;
        command.args(FREE_PORTS).args(arguments);
        Self::spawn_with(engine, &mut command)
    }

    /// Starts a command that serves with an engine and waits for its banner.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`] with its log if the banner does not arrive.
    pub fn spawn_with(engine: Engine, command: &mut Command) -> Result<Self> {
        let mut server = Self::spawn(command)?;
        server.engine = engine;
        Ok(server)
    }

    /// Starts a command that serves and waits for its banner.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`] with its log if the banner does not arrive.
    pub fn spawn(command: &mut Command) -> Result<Self> {
        let output = NamedTempFile::new()?;
        let log = NamedTempFile::new()?;
        let mut child = embedded(command)
            .stdin(Stdio::null())
            .stdout(output.reopen()?)
            .stderr(log.reopen()?)
            .spawn()?;
        let banner = poll(&mut child, READY, || {
            Banner::parse(&fs::read_to_string(output.path())?)
        });
        match banner {
            Ok(Some(banner)) => Ok(Self {
                child,
                engine: Engine::Embedded,
                banner,
                log,
                folder: None,
            }),
            other => {
                // It may have exited already.
                let status = child.try_wait()?;
                child.kill()?;
                child.wait()?;
                other?;
                let log = fs::read_to_string(log.path())?;
                Err(HarnessError::Deadline {
                    program: crate::process::program(command),
                    deadline: READY,
                    output: format!("{status:?} {log}"),
                })
            }
        }
    }

    /// Records the engine, if the command has selected it.
    pub fn set_engine(&mut self, engine: Engine) {
        self.engine = engine;
    }

    /// Returns the banner of the server.
    pub fn banner(&self) -> &Banner {
        &self.banner
    }

    /// Keeps a directory for the clients until the server is dropped.
    pub fn with_folder(mut self, folder: TempDir) -> Self {
        self.folder = Some(folder);
        self
    }

    /// Returns the directory of the server or its clients.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// Returns the engine of the server.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Returns the process ID of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the log of the server so far.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Io`] if the log cannot be read.
    pub fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(self.log.path())?)
    }

    /// Returns the log of the server as soon as it contains all the texts. A server writes its log
    /// on a thread of its own, so a line may follow the response to which it belongs.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Missing`] with the log if a text does not appear in time.
    pub fn log_with(&self, texts: &[&str]) -> Result<String> {
        let begun = Instant::now();
        loop {
            let log = self.log()?;
            let missing = texts.iter().find(|&&text| !log.contains(text));
            match missing {
                None => return Ok(log),
                Some(&text) if begun.elapsed() > LOGGED => {
                    return Err(HarnessError::Missing {
                        text: text.to_owned(),
                        deadline: LOGGED,
                        log,
                    });
                }
                Some(_) => thread::sleep(TICK),
            }
        }
    }

    /// Sends a signal such as `TERM` to the server.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Io`] if there is no shell.
    pub fn signal(&self, name: &str) -> Result<()> {
        // The `kill` of the shell, because the program may not be installed.
        Command::new("sh")
            .arg("-c")
            .arg(format!("kill -{name} {}", self.pid()))
            .status()?;
        Ok(())
    }

    /// Waits until the server ends without a signal, and returns its exit status and its log.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`] with its log if it does not end.
    pub fn wait(mut self, deadline: Duration) -> Result<(ExitStatus, String)> {
        match wait(&mut self.child, deadline)? {
            Some(status) => Ok((status, self.log()?)),
            None => Err(HarnessError::Deadline {
                program: "the server".to_owned(),
                deadline,
                output: self.log()?,
            }),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
