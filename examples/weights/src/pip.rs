use std::process::{Command, Stdio};

use crate::tool;

/// The commands that can install a wheel, in the order in which they are tried.
const TOOLS: &[&[&str]] = &[
    &["pip"],
    &["pip3"],
    &["python3", "-m", "pip"],
    &["uv", "tool", "run", "pip"],
];

/// Returns the first command that works.
pub(crate) fn pip() -> Option<Command> {
    let works = |tool: &&&[&str]| {
        let mut version = command(tool);
        let version = version.arg("--version").stdout(Stdio::null());
        let status = version.stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    TOOLS.iter().find(works).map(|tool| command(tool))
}

fn command(tool: &[&str]) -> Command {
    let (program, arguments) = tool.split_first().unwrap_or((&"pip", &[]));
    let mut command = tool::command(program);
    command.args(arguments);
    command
}
