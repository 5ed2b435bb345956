use std::path::Path;
use std::process::Command;

use pytriton_tests::finish;

use crate::engine::FREE_PORTS;
use crate::{EXIT, MODELS};

/// What gives a command mounts of its own.
pub(crate) const NAMESPACE: [&str; 2] = ["unshare", "-rm"];

/// A shell that does something before it becomes a server with arguments and redirections.
pub(crate) fn shell(wrapper: &[&str], before: &str, arguments: &str) -> Command {
    let ports = FREE_PORTS.join(" ");
    let serve = format!("{before} && exec '{MODELS}' {ports} {arguments}");
    let words = [wrapper, &["sh", "-c", &serve]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

/// What makes a folder a disk of that size for a command in a [`NAMESPACE`]; `None` where nobody may mount.
pub(crate) fn disk(folder: &Path, size: &str) -> Option<String> {
    let mount = format!("mount -t tmpfs -o size={size} none '{}'", folder.display());
    let mut tried = Command::new(NAMESPACE[0]);
    tried.args(&NAMESPACE[1..]).args(["sh", "-c", &mount]);
    let tried = finish(&mut tried, EXIT);
    tried
        .is_ok_and(|tried| tried.status.success())
        .then_some(mount)
}
