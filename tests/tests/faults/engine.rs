use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use pytriton_tests::{Result, Server, tritonserver};

use crate::MODELS;

/// Lets the system choose all ports.
pub(crate) const FREE_PORTS: [&str; 5] = [
    "--http-port=0",
    "--grpc-port=0",
    "--metrics-port=0",
    "--openai-port=0",
    "--docs-port=0",
];

/// Returns the directory of an installed tritonserver.
pub(crate) fn installed() -> Result<String> {
    static FOLDER: OnceLock<String> = OnceLock::new();
    if let Some(folder) = FOLDER.get() {
        return Ok(folder.clone());
    }
    let program = tritonserver(MODELS.as_ref(), env!("CARGO_TARGET_TMPDIR").as_ref())?;
    let folder = program.ancestors().nth(2).unwrap_or(&program);
    Ok(FOLDER.get_or_init(|| folder.display().to_string()).clone())
}

/// Returns a command of the tritonserver engine with its own directory for workspaces.
pub(crate) fn command(home: &Path, arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(MODELS);
    prepare(&mut command, home)?;
    command.args(FREE_PORTS).args(arguments);
    Ok(command)
}

/// Sets the environment for the tritonserver engine.
pub(crate) fn prepare(command: &mut Command, home: &Path) -> Result<()> {
    command
        .env("PYTRITON_ENGINE", "tritonserver")
        .env("PYTRITON_TRITONSERVER", installed()?)
        .env("XDG_CACHE_HOME", home);
    Ok(())
}

/// Starts a server with the tritonserver engine.
pub(crate) fn start(home: &Path, arguments: &[&str]) -> Result<Server> {
    Server::spawn(&mut command(home, arguments)?)
}

/// Returns the workspaces in a directory.
pub(crate) fn workspaces(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join("pytriton/workspaces"));
    let paths = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    paths.filter(|path| path.is_dir()).collect()
}
