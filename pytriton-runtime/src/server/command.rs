use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use super::Options;

/// The command line of a binary with models.
#[derive(Debug, Parser)]
#[command(
    about = "Serves this binary's models over the KServe v2 / Triton protocol",
    args_conflicts_with_subcommands = true
)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    options: Options,
}

/// What the binary is to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve the models (the default)
    Serve(Options),
    /// Print the models with their tensors
    List,
    /// Check options, models, ports and tritonserver without serving
    Check(Options),
    /// Fetch tritonserver into the cache
    Install,
    /// Write the models into a folder as tritonserver reads them
    Repository {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,

        /// Write DIR/models and DIR/backends, for a tritonserver that runs the functions in its own process: the binary's
        /// crate calls `pytriton::backend!()`
        #[arg(long)]
        native: bool,
    },
}

impl CommandLine {
    /// Reads the process's arguments and environment; prints help, version or a mistake, and exits, where that is asked.
    pub(super) fn command(name: &'static str, version: &'static str) -> Command {
        let command = Self::command_for(name, version);
        let matches = command.get_matches();
        match Self::from_arg_matches(&matches) {
            Ok(line) => line.command.unwrap_or(Command::Serve(line.options)),
            Err(error) => error.exit(),
        }
    }

    fn command_for(name: &'static str, version: &'static str) -> clap::Command {
        <Self as CommandFactory>::command()
            .name(name)
            .bin_name(name)
            .version(version)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_option_is_an_environment_variable_too() {
        let command = CommandLine::command_for("test", "1.2.3");
        command.clone().debug_assert();
        let mut seen = BTreeSet::new();
        for argument in command.get_arguments() {
            let Some(long) = argument.get_long() else {
                continue;
            };
            if ["help", "version"].contains(&long) {
                continue;
            }
            let prefix = match long {
                "engine" | "tritonserver" | "restart" => "PYTRITON_",
                _ => "PYTRITON_TRITON_CONFIG_",
            };
            let expected = format!("{prefix}{}", long.replace('-', "_").to_uppercase());
            let got = argument.get_env().and_then(|name| name.to_str());
            assert_eq!(got, Some(expected.as_str()), "--{long}");
            assert!(seen.insert(expected));
        }
        assert!(seen.len() > 50);
    }
}
