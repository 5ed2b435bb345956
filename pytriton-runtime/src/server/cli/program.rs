use std::error::Error;
use std::ffi::OsString;

use clap::ArgMatches;
use pytriton_engine::settings::{ResolveError, Setting, resolve};

use crate::server::command::{Command, CommandLine};

use super::own_arguments::{ArgumentClash, with_arguments};

/// A program and its command line.
#[derive(Debug)]
pub(in crate::server) struct Program {
    pub(in crate::server) name: &'static str,
    /// clap's description, with the program's own arguments.
    pub(in crate::server) command: clap::Command,
}

/// A command line that was given to a program.
#[derive(Debug)]
pub(in crate::server) struct GivenArguments {
    /// The requested subcommand.
    pub(in crate::server) command: Command,
    /// The arguments of the subcommand.
    pub(in crate::server) matches: ArgMatches,
    /// The origin of each option.
    pub(in crate::server) settings: Vec<Setting>,
}

impl Program {
    /// Creates a program with the arguments `A` of its own.
    pub(super) fn new<A: clap::Args>(
        name: &'static str,
        version: &'static str,
    ) -> Result<Self, ArgumentClash> {
        let command = with_arguments::<A>(CommandLine::describe(name, version))?;
        Ok(Self { name, command })
    }

    /// Reads the arguments, the environment and the configuration file. Exits after printing help,
    /// the version or an error in the command line.
    ///
    /// # Errors
    ///
    /// Returns every mistake in the configuration file.
    pub(super) fn read(
        &self,
        arguments: Vec<OsString>,
    ) -> Result<GivenArguments, impl Error + 'static> {
        let resolved = match resolve(&self.command, arguments) {
            Ok(resolved) => resolved,
            Err(ResolveError::Line(error)) => error.exit(),
            Err(ResolveError::Configuration(mistakes)) => return Err(mistakes),
        };
        let command = match CommandLine::requested(&resolved.matches) {
            Ok(command) => command,
            Err(error) => error.exit(),
        };
        let mut matches = resolved.matches;
        if let Some((_, given)) = matches.remove_subcommand() {
            matches = given;
        }
        Ok(GivenArguments {
            command,
            matches,
            settings: resolved.settings,
        })
    }
}
