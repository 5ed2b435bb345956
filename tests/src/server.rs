use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};

use crate::process::{embedded, poll, wait};
use crate::{Banner, Engine, HarnessError, Result};

/// How long a server may take until it is ready. It takes milliseconds on a machine that does nothing else.
pub(crate) const READY: Duration = Duration::from_secs(20);

/// Free ports for all doors.
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

/// A running server, killed when it is dropped.
#[derive(Debug)]
pub struct Server {
    pub(crate) child: Child,
    pub(crate) engine: Engine,
    pub(crate) banner: Banner,
    pub(crate) log: NamedTempFile,
    /// What must be there as long as it runs.
    pub(crate) folder: Option<TempDir>,
}

impl Server {
    /// Starts a server binary on free ports and waits for its banner.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Deadline`] with its log when the banner does not come.
    pub fn start(binary: impl AsRef<Path>, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(binary.as_ref());
        command.args(FREE_PORTS).args(arguments);
        Self::spawn(&mut command)
    }

    /// Starts a server binary with an engine on free ports; what the engine needs is in the folder, or put there.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Deadline`] with its log when the banner does not come.
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
    /// [`HarnessError::Deadline`] with its log when the banner does not come.
    pub fn spawn_with(engine: Engine, command: &mut Command) -> Result<Self> {
        let mut server = Self::spawn(command)?;
        server.engine = engine;
        Ok(server)
    }

    /// Starts a command that serves and waits for its banner.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Deadline`] with its log when the banner does not come.
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
                child.kill()?;
                child.wait()?;
                other?;
                Err(HarnessError::Deadline {
                    program: crate::process::program(command),
                    deadline: READY,
                    output: fs::read_to_string(log.path())?,
                })
            }
        }
    }

    /// Says with which engine it was started, where the command said so.
    pub fn set_engine(&mut self, engine: Engine) {
        self.engine = engine;
    }

    /// What the server said when it was ready.
    pub fn banner(&self) -> &Banner {
        &self.banner
    }

    /// The same with a folder that its clients need, as long as it runs.
    pub fn with_folder(mut self, folder: TempDir) -> Self {
        self.folder = Some(folder);
        self
    }

    /// The folder that it needs, or its clients.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// The engine that it was started with.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the server has logged so far.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Io`] when the log cannot be read.
    pub fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(self.log.path())?)
    }

    /// Sends the server a signal such as `TERM`.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Io`] when there is no shell.
    pub fn signal(&self, name: &str) -> Result<()> {
        // The shell's own `kill`: it is there where no such program is installed.
        Command::new("sh")
            .arg("-c")
            .arg(format!("kill -{name} {}", self.pid()))
            .status()?;
        Ok(())
    }

    /// Waits until the server ends by itself; how it ended and what it logged.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Deadline`] with its log when it does not.
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
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
