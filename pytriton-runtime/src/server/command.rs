use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use pytriton_engine::Arguments;
use pytriton_engine::options::OverrideOptions;

use super::Options;

/// The command line of a binary with models.
#[derive(Debug, Parser)]
#[command(
    about = "Serves this binary's models over the KServe v2 / Triton protocol",
    after_help = "docs/errors.md of pytriton explains every error message.",
    args_conflicts_with_subcommands = true
)]
// The program may name its own groups of arguments.
#[group(skip)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    options: Arguments<Options>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve the models (the default)
    Serve(Box<Arguments<Options>>),
    /// Print the models and their tensors
    List {
        /// Output format: a table, signatures for typed clients, or OpenAPI
        #[arg(long, value_enum, default_value = "text")]
        format: Format,

        /// TOML file with options
        #[arg(long, env = "PYTRITON_CONFIG", value_name = "FILE")]
        config: Option<PathBuf>,

        #[command(flatten)]
        overrides: Arguments<OverrideOptions>,
    },
    /// Check options, models, ports and tritonserver without serving
    Check {
        /// Only compare the models with a file written by `list --format json`; breaking changes
        /// are an error
        #[arg(long, value_name = "FILE")]
        lock: Option<PathBuf>,

        #[command(flatten)]
        options: Box<Arguments<Options>>,
    },
    /// Download tritonserver into the cache
    Install,
    /// Write the models to a folder as a Triton model repository
    Repository {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,

        /// Write DIR/models and DIR/backends, for a tritonserver that runs the functions in its own
        /// process; the binary's crate must call `pytriton::backend!()`
        #[arg(long)]
        native: bool,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page in roff
    Man,
}

/// The output format of `list`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Format {
    /// A table
    Text,
    /// The signatures of the models
    Json,
    /// An OpenAPI 3.1 document of the HTTP routes
    Openapi,
}

impl CommandLine {
    /// Returns clap's description of the command line.
    pub(super) fn describe(name: &'static str, version: &'static str) -> clap::Command {
        <Self as CommandFactory>::command()
            .name(name)
            .bin_name(name)
            .version(version)
    }

    /// Returns the subcommand that is requested. Without one, the models are served.
    pub(super) fn requested(matches: &ArgMatches) -> Result<Command, clap::Error> {
        let line = Self::from_arg_matches(matches)?;
        let serve = || Command::Serve(Box::new(line.options));
        Ok(line.command.unwrap_or_else(serve))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_option_has_an_environment_variable() {
        let command = CommandLine::describe("test", "1.2.3");
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
                "config" | "engine" | "tritonserver" | "restart" | "ready-timeout-secs" => {
                    "PYTRITON_"
                }
                _ => "PYTRITON_TRITON_CONFIG_",
            };
            let expected = match long {
                // A variable of OpenTelemetry.
                "traces-exporter" => "OTEL_TRACES_EXPORTER".to_owned(),
                _ => format!("{prefix}{}", long.replace('-', "_").to_uppercase()),
            };
            let got = argument.get_env().and_then(|name| name.to_str());
            assert_eq!(got, Some(expected.as_str()), "--{long}");
            assert!(seen.insert(expected));
        }
        assert!(seen.len() > 50);
    }
}
