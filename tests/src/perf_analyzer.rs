use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Finished, Python, Result, Server, finish, tritonserver};

/// The required libraries, which tritonserver includes under other names.
const LIBRARIES: [(&str, &str); 2] = [
    ("libb64-", "libb64.so.0d"),
    ("libcudart-", "libcudart.so.12"),
];

/// The time limit of a run.
const RUN_TIMEOUT: Duration = Duration::from_secs(60);

/// NVIDIA's load generator.
#[derive(Debug)]
pub struct PerfAnalyzer {
    program: PathBuf,
    libraries: PathBuf,
}

impl PerfAnalyzer {
    /// Finds the program in a directory, or installs it there.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`] and [`tritonserver`], which the binary installs.
    pub fn prepare(binary: &Path, folder: &Path) -> Result<Self> {
        let program = Python::with_perf_analyzer(folder)?.program("perf_analyzer");
        let tritonserver = tritonserver(binary, folder)?;
        let libraries = program.with_file_name("libraries");
        fs::create_dir_all(&libraries)?;
        let installed = tritonserver.with_file_name("../lib");
        for entry in fs::read_dir(installed)? {
            let path = entry?.path();
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let known = LIBRARIES
                .iter()
                .find(|(begins, _)| name.starts_with(begins));
            if let Some((_, called)) = known {
                let link = libraries.join(called);
                match symlink(&path, link) {
                    // Another process has created the link.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    made => made?,
                }
            }
        }
        Ok(Self { program, libraries })
    }

    /// Sends a number of requests over gRPC streams, four at a time, with these inputs in JSON.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`](crate::HarnessError::Deadline).
    pub fn stream(
        &self,
        server: &Server,
        model: &str,
        inputs: &str,
        requests: u32,
    ) -> Result<Finished> {
        let data = tempfile::NamedTempFile::new()?;
        fs::write(&data, format!(r#"{{"data":[{inputs}]}}"#))?;
        let mut command = self.command(model, "grpc", &server.banner().grpc, requests);
        command
            .args(["--streaming", "--async", "--input-data"])
            .arg(data.path());
        finish(&mut command, RUN_TIMEOUT)
    }

    /// Sends a number of requests over `http` or `grpc`, four at a time, with all tensors in shared
    /// memory.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Deadline`](crate::HarnessError::Deadline).
    pub fn share(
        &self,
        server: &Server,
        protocol: &str,
        model: &str,
        shape: &str,
        requests: u32,
    ) -> Result<Finished> {
        let banner = server.banner();
        let address = match protocol {
            "http" => &banner.http,
            _ => &banner.grpc,
        };
        let mut command = self.command(model, protocol, address, requests);
        command.args(["--shared-memory", "system", "--shape", shape]);
        finish(&mut command, RUN_TIMEOUT)
    }

    fn command(&self, model: &str, protocol: &str, address: &str, requests: u32) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["-m", model, "-u", address, "-i", protocol])
            .args(["--concurrency-range", "4"])
            .args(["--request-count", &requests.to_string()])
            .env("LD_LIBRARY_PATH", &self.libraries);
        command
    }
}
