use std::env;
use std::process::Command;

/// Returns a command for the cargo that built the tests, with the environment of a user.
pub(crate) fn cargo() -> Command {
    without_cargo_variables(Command::new(env!("CARGO")))
}

/// Removes the variables that cargo sets for a test. The build script of `ring` would otherwise run
/// again, which rebuilds all dependents, now and in the user's next build.
pub(crate) fn without_cargo_variables(mut command: Command) -> Command {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    // Otherwise the output would be in another directory.
    command.env_remove("CARGO_BUILD_TARGET");
    command
}
