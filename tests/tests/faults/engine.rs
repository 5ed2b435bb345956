use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use pytriton_tests::{Result, Server, tritonserver};

use crate::MODELS;

/// Free ports for all doors.
pub(crate) const FREE_PORTS: [&str; 5] = [
    "--http-port=0",
    "--grpc-port=0",
    "--metrics-port=0",
    "--openai-port=0",
    "--docs-port=0",
];

/// The folder of a tritonserver that the product has installed.
pub(crate) fn installed() -> Result<String> {
    static FOLDER: OnceLock<String> = OnceLock::new();
    if let Some(folder) = FOLDER.get() {
        return Ok(folder.clone());
    }
    let program = tritonserver(MODELS.as_ref(), env!("CARGO_TARGET_TMPDIR").as_ref())?;
    let folder = program.ancestors().nth(2).unwrap_or(&program);
    Ok(FOLDER.get_or_init(|| folder.display().to_string()).clone())
}

/// A command of the tritonserver engine, with a folder of its own for workspaces.
pub(crate) fn command(home: &Path, arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(MODELS);
    prepare(&mut command, home)?;
    command.args(FREE_PORTS).args(arguments);
    Ok(command)
}

/// Gives a command the environment in which a server binary takes the tritonserver engine.
pub(crate) fn prepare(command: &mut Command, home: &Path) -> Result<()> {
    command
        .env("PYTRITON_ENGINE", "tritonserver")
        .env("PYTRITON_TRITONSERVER", installed()?)
        .env("XDG_CACHE_HOME", home);
    Ok(())
}

/// Serves with the tritonserver engine.
pub(crate) fn start(home: &Path, arguments: &[&str]) -> Result<Server> {
    Server::spawn(&mut command(home, arguments)?)
}

/// The workspaces that are left in a folder.
pub(crate) fn workspaces(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join("pytriton/workspaces"));
    let paths = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    paths.filter(|path| path.is_dir()).collect()
}
