use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use pytriton_engine::access::VARIABLE;
use thiserror::Error;

use super::Version;
use super::process::{die_with_this_thread, glibc_version, mounted_noexec};

/// The timeout for a server to print its help.
const HELP_TIMEOUT: Duration = Duration::from_secs(20);

/// The maximum output that is read.
const MAX_OUTPUT_BYTES: u64 = 4 << 20;

/// The capabilities of a tritonserver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The flags it supports, without their dashes.
    pub flags: BTreeSet<String>,
}

/// The binary does not run as a tritonserver.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The system cannot run it.
    #[error("cannot run {binary}: {source}", binary = binary.display())]
    Run {
        /// The binary.
        binary: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// It printed nothing before the timeout.
    #[error("{binary} did not respond within {seconds} seconds", binary = binary.display(), seconds = HELP_TIMEOUT.as_secs())]
    Silent {
        /// The binary.
        binary: PathBuf,
    },
    /// A library is missing, or the system's C library is too old.
    #[error("{binary} does not run on this system ({glibc}): {message}", binary = binary.display(), glibc = glibc_text())]
    Loader {
        /// The binary.
        binary: PathBuf,
        /// The loader's message.
        message: String,
    },
    /// It is not a program for this machine, or is on a file system mounted `noexec`.
    #[error("{binary} cannot be run: it is {what}", binary = binary.display())]
    Format {
        /// The binary.
        binary: PathBuf,
        /// The actual kind of file.
        what: &'static str,
    },
    /// It is another program.
    #[error("{binary} is not a tritonserver: its `--help` does not list --model-repository", binary = binary.display())]
    NotTritonserver {
        /// The binary.
        binary: PathBuf,
    },
}

impl Probe {
    /// Reads the flags of a tritonserver from its help.
    ///
    /// # Errors
    ///
    /// Returns a [`ProbeError`] if the binary does not run.
    pub fn new(binary: &Path) -> Result<Self, ProbeError> {
        let start = |path: &Path| header(path).ok();
        if let (Some(theirs), Some(ours)) = (start(binary), start(Path::new("/proc/self/exe")))
            && let Some(what) = incompatible(&theirs, &ours)
        {
            let binary = binary.to_owned();
            return Err(ProbeError::Format { binary, what });
        }
        if mounted_noexec(binary) {
            let (binary, what) = (binary.to_owned(), "on a file system that is mounted noexec");
            return Err(ProbeError::Format { binary, what });
        }
        let help = program_output(binary, &["--help"])?;
        let flags: BTreeSet<String> = help.lines().filter_map(flag).map(str::to_owned).collect();
        if flags.contains("model-repository") {
            return Ok(Self { flags });
        }
        let binary = binary.to_owned();
        match help.lines().find(|line| is_of_the_loader(line)) {
            Some(line) => Err(ProbeError::Loader {
                binary,
                message: line.to_owned(),
            }),
            None => Err(ProbeError::NotTritonserver { binary }),
        }
    }
}

/// Reads the version of a tritonserver. Only the log of a start reports it, so this starts one that
/// exits at once because its repository does not exist.
///
/// # Errors
///
/// Returns a [`ProbeError`] if the binary does not run.
pub fn version(binary: &Path) -> Result<Option<Version>, ProbeError> {
    let arguments = [
        "--model-repository=/nonexistent",
        "--allow-http=false",
        "--allow-grpc=false",
        "--allow-metrics=false",
        "--log-info=true",
    ];
    Ok(program_output(binary, &arguments)?
        .lines()
        .find_map(Version::in_log))
}

/// Returns the system's C library, such as `glibc 2.36`; `None` if it is not glibc.
pub fn glibc() -> Option<String> {
    if let Some(version) = glibc_version() {
        return Some(format!("glibc {version}"));
    }
    let output = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    text.starts_with("glibc ").then(|| text.to_owned())
}

fn glibc_text() -> String {
    glibc().unwrap_or_else(|| "a C library other than glibc".to_owned())
}

/// Returns what a program prints, to both of its outputs, within 20 seconds. Then it is killed.
///
/// # Errors
///
/// Returns a [`ProbeError`] if it does not run, or prints and closes nothing in that time.
pub fn program_output(
    binary: &Path,
    arguments: &[impl AsRef<OsStr>],
) -> Result<String, ProbeError> {
    let failed = |source| ProbeError::Run {
        binary: binary.to_owned(),
        source,
    };
    let (reader, writer) = io::pipe().map_err(failed)?;
    let mut command = Command::new(binary);
    command
        .args(arguments)
        .env_remove(VARIABLE)
        .stdin(Stdio::null())
        .stdout(writer.try_clone().map_err(failed)?)
        .stderr(writer);
    // If this thread ends while the server hangs, the server must not survive.
    die_with_this_thread(&mut command);
    let mut child = command.spawn().map_err(failed)?;
    // The command holds the write end of the pipe.
    drop(command);
    let (read, text) = mpsc::channel();
    let reading = thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        // Output before a read error is still useful.
        let _ = reader.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        drop(read.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    let text = reading.map(|_| text.recv_timeout(HELP_TIMEOUT));
    // The server has closed its output or timed out. Either way it is not needed any more.
    let _ = child.kill();
    let _ = child.wait();
    text.map_err(failed)?.map_err(|_| ProbeError::Silent {
        binary: binary.to_owned(),
    })
}

/// Returns the first bytes of a program: the format, the word size at 4, the processor at 18.
fn header(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(20).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns why a file is not a program for this machine. The system would otherwise run it as a
/// shell script.
fn incompatible(theirs: &[u8], ours: &[u8]) -> Option<&'static str> {
    if theirs.starts_with(b"#!") {
        return None;
    }
    if !theirs.starts_with(b"\x7fELF") {
        return Some("not a program");
    }
    let machine = |header: &[u8]| Some((*header.get(4)?, header.get(18..20)?.to_vec()));
    (machine(theirs) != machine(ours)).then_some("a program for another processor")
}

/// Returns the flag that a line of the help describes.
fn flag(line: &str) -> Option<&str> {
    let line = line.strip_prefix("  --")?;
    let end = line.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    Some(&line[..end.unwrap_or(line.len())])
}

fn is_of_the_loader(line: &str) -> bool {
    line.contains("error while loading shared libraries")
        || line.contains("' not found (required by")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tritonserver");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn probe(text: &str) -> Result<Probe, ProbeError> {
        Probe::new(&script(text).path().join("tritonserver"))
    }

    #[test]
    fn flags_are_parsed_from_the_help() {
        let help = "Usage:\n  --help\n\tPrint --usage\n  --model-repository <string>\n\n  --metrics-config <<a>=<b>>\n --x";
        // The real server exits with status 1 after its help.
        let probe = probe(&format!("printf -- '{help}' >&2; exit 1")).unwrap();
        let flags: Vec<_> = probe.flags.iter().map(String::as_str).collect();
        assert_eq!(flags, ["help", "metrics-config", "model-repository"]);
    }

    #[test]
    fn unusable_binary_is_explained() {
        let table = [
            ("echo hello", "is not a tritonserver"),
            (
                "echo \"x: version \\`GLIBC_2.99' not found (required by x)\"; exit 1",
                "GLIBC_2.99",
            ),
            (
                "echo 'x: error while loading shared libraries: libz.so.1: no' >&2; exit 127",
                "libz.so.1",
            ),
        ];
        for (text, expected) in table {
            let error = probe(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let error = Probe::new(Path::new("/no/such/file")).unwrap_err();
        assert!(matches!(error, ProbeError::Run { .. }));
    }

    #[test]
    fn version_is_parsed_from_the_log_of_a_failed_start() {
        let folder = script("echo '| server_version | 2.51.0 |'; exit 1");
        let got = version(&folder.path().join("tritonserver")).unwrap();
        assert_eq!(got, "2.51.0".parse().ok());
    }
}
