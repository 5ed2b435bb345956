use std::env;
use std::process::Command;

/// The cargo that has built the tests, as a person would start it.
pub(crate) fn cargo() -> Command {
    apart(Command::new(env!("CARGO")))
}

/// A command that starts cargo, and hears nothing of what cargo tells a test of the test's own package: the build script of `ring`
/// takes that for a reason to run again, and all that stands on it would be built anew, here and when a person builds next.
pub(crate) fn apart(mut command: Command) -> Command {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    // What is built would not be found.
    command.env_remove("CARGO_BUILD_TARGET");
    command
}
