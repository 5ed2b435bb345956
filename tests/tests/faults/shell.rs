use std::path::Path;
use std::process::Command;

use pytriton_tests::finish;

use crate::engine::FREE_PORTS;
use crate::{EXIT, MODELS};

/// Gives a command its own mount namespace.
pub(crate) const NAMESPACE: [&str; 2] = ["unshare", "-rm"];

/// Returns a shell command that runs `before` and then executes a server with arguments and
/// redirections.
pub(crate) fn shell(wrapper: &[&str], before: &str, arguments: &str) -> Command {
    let ports = FREE_PORTS.join(" ");
    let serve = format!("{before} && exec '{MODELS}' {ports} {arguments}");
    let words = [wrapper, &["sh", "-c", &serve]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

/// Returns a command that mounts a disk of that size on a directory, in a [`NAMESPACE`]. Returns
/// `None` if mounting is not permitted.
pub(crate) fn disk(folder: &Path, size: &str) -> Option<String> {
    let mount = format!("mount -t tmpfs -o size={size} none '{}'", folder.display());
    let mut tried = Command::new(NAMESPACE[0]);
    tried.args(&NAMESPACE[1..]).args(["sh", "-c", &mount]);
    let tried = finish(&mut tried, EXIT);
    tried
        .is_ok_and(|tried| tried.status.success())
        .then_some(mount)
}
