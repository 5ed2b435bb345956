use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pytriton_runtime::triton::Endpoints;
use pytriton_runtime::triton::process::Ports;
use tempfile::{NamedTempFile, TempDir};

use crate::process::{poll, program};
use crate::server::READY;
use crate::{Banner, Engine, HarnessError, Result, Server, finish, tritonserver};

/// The time limit for a binary to write its models and its library.
const WRITE: Duration = Duration::from_secs(30);

/// The number of attempts if another process takes a port first.
pub(crate) const TRIES: u32 = 3;

impl Server {
    /// Starts a stock tritonserver that runs the models of a binary in its own process, with the
    /// command that the binary's `repository --native` prints, on free ports.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Failed`] if the repository cannot be written, and
    /// [`HarnessError::Deadline`] with tritonserver's log if it ends or does not become ready.
    pub fn start_native(binary: &Path, folder: &Path, arguments: &[&str]) -> Result<Self> {
        let program = tritonserver(binary, folder)?;
        let written = TempDir::new()?;
        let mut repository = Command::new(binary);
        repository
            .args(["repository", "--native"])
            .arg(written.path());
        // The default cache directory of a stock server is that of a system-wide installation.
        let caches = program.with_file_name("../caches");
        let printed = finish(&mut repository, WRITE)?.success("repository --native")?;
        let mut tries = TRIES;
        loop {
            tries -= 1;
            let mut command = Command::new(&program);
            command.args(printed.split_whitespace().skip(1));
            command.arg("--cache-directory").arg(&caches);
            command.args(arguments);
            match Self::spawn_native(command) {
                Err(HarnessError::Deadline { output, .. })
                    if tries > 0 && output.contains("already in use") => {}
                Err(error) => return Err(error),
                Ok(mut server) => {
                    server.folder = Some(written);
                    return Ok(server);
                }
            }
        }
    }

    fn spawn_native(mut command: Command) -> Result<Self> {
        let endpoints = free()?;
        for (endpoint, address) in [
            ("http", endpoints.http),
            ("grpc", endpoints.grpc),
            ("metrics", endpoints.metrics),
        ] {
            if let Some(address) = address {
                command
                    .arg(format!("--{endpoint}-address={}", address.ip()))
                    .arg(format!("--{endpoint}-port={}", address.port()));
            }
        }
        Self::spawn_at(&mut command, &endpoints, READY)
    }

    /// Starts a command that serves at these endpoints, and waits until it is ready.
    pub(crate) fn spawn_at(
        command: &mut Command,
        endpoints: &Endpoints,
        deadline: Duration,
    ) -> Result<Self> {
        let text = |address: Option<SocketAddr>| {
            address.map_or_else(String::new, |address| address.to_string())
        };
        let banner = Banner {
            http: text(endpoints.http),
            grpc: text(endpoints.grpc),
            metrics: text(endpoints.metrics),
            ..Banner::default()
        };
        let log = NamedTempFile::new()?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(log.reopen()?)
            .stderr(log.reopen()?)
            .spawn()?;
        let ready = poll(&mut child, deadline, || {
            Ok(ready(&banner.http).unwrap_or(false).then_some(()))
        });
        if let Ok(Some(())) = ready {
            return Ok(Self {
                child,
                engine: Engine::Tritonserver,
                banner,
                log,
                folder: None,
            });
        }
        child.kill()?;
        child.wait()?;
        ready?;
        Err(HarnessError::Deadline {
            program: program(command),
            deadline,
            output: fs::read_to_string(log.path())?,
        })
    }
}

/// Returns endpoints with free ports.
pub(crate) fn free() -> Result<Endpoints> {
    let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let ports = Ports::find(Endpoints {
        http: any,
        grpc: any,
        metrics: any,
    });
    Ok(ports.map_err(|error| error.source)?.endpoints)
}

fn ready(address: &str) -> Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(READY))?;
    stream.write_all(
        b"GET /v2/health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200 "))
}
