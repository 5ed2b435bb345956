use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use pytriton_engine::Arguments;
use pytriton_engine::options::OverrideOptions;
use pytriton_engine::settings::unknown_variables;
use tokio::runtime::{Builder, Runtime};

use crate::access::default_routes;
use crate::logging::{self, LogSettings};
use crate::openapi::document;
use crate::registry::Registry;
use crate::shared_state::SharedStates;
use crate::trace::{Export, TracesExporter};

use super::blocking::runtime;
use super::chosen_engine::{ChosenEngine, Plan};
use super::cli::{GivenArguments, Hooks, Program};
use super::command::{Command, Format};
use super::embedded::Extensions;
use super::ffi::outlive_file_size_limits;
use super::signature_check::Compared;
use super::{
    Options, ServerError, Triton, check, choice, command_docs, descriptors, table, tritonserver,
};

/// The exit code for a usage error, as in clap.
const USAGE_ERROR: u8 = 2;

/// The first argument of the process that opens the library of a tritonserver for `check`.
pub(super) const DESCRIBE_CORE: &str = "describe-core";

/// The parts that a program adds to its server.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) hooks: Hooks,
    pub(super) extensions: Extensions,
    pub(super) states: Arc<SharedStates>,
}

/// Reports an error in the command line or in a configuration file.
pub(super) fn usage_error(error: &dyn Error) -> ExitCode {
    print_error(error);
    ExitCode::from(USAGE_ERROR)
}

/// Runs a command line. `parts` reads the program's own arguments and creates the states that the
/// models take.
pub(super) fn run(
    program: &Program,
    line: GivenArguments,
    parts: impl FnOnce(&ArgMatches, &Registry) -> Result<Parts, ServerError>,
) -> ExitCode {
    descriptors::raise_limit();
    outlive_file_size_limits();
    let GivenArguments {
        command,
        matches,
        settings,
    } = line;
    let none = OverrideOptions::default();
    let done = match command {
        Command::Serve(options) => {
            let Arguments(options) = *options;
            let export = log(&options, program);
            let served = export.and_then(|export| {
                let models = registry(&options.overrides)?;
                let parts = parts(&matches, &models)?;
                let triton = Triton::with(options, models).extended(parts.extensions);
                triton.sharing(parts.states).serve_with(parts.hooks)?;
                Ok(export)
            });
            // Dropping it exports the remaining spans before the process ends.
            served.map(drop)
        }
        Command::List {
            format,
            overrides: Arguments(overrides),
            ..
        } => registry(&overrides).and_then(|registry| match format {
            Format::Text => print_output(&table(&registry)),
            Format::Json => print_output(&registry.lock().to_json()),
            Format::Openapi => print_output(&described(&registry)),
        }),
        Command::Check {
            lock: Some(file),
            options,
        } => registry(&options.0.overrides).and_then(|registry| {
            let compared = Compared::new(&file, &registry)?;
            print_output(&compared.to_string())?;
            compared.check()
        }),
        Command::Check {
            lock: None,
            options,
        } => {
            let Arguments(options) = *options;
            let export = log(&options, program);
            print_output(&check::settings(&settings, &options))
                .and(export)
                .and_then(|_export| {
                    let models = registry(&options.overrides)?;
                    let Parts {
                        extensions, states, ..
                    } = parts(&matches, &models)?;
                    let engine = choose(&options, &extensions)?;
                    let plan = Plan {
                        registry: options.served(models.with_states(&states)),
                        options,
                        reason: engine.reason().short(),
                        ports: true,
                        #[cfg(feature = "test-util")]
                        paused: false,
                        extensions,
                    };
                    with_runtime(|runtime| check::check(runtime, &plan, engine.as_ref()))
                })
                .and_then(|report| print_output(&report))
        }
        Command::Install => {
            let export = logging::init(&LogSettings::default(), TracesExporter::None);
            let export = export.map_err(ServerError::Traces);
            export.and_then(|_export| print_output(&tritonserver::install()?))
        }
        Command::Repository { folder, native } => registry(&none).and_then(|registry| {
            let message = tritonserver::write_models(&folder, native, &registry)?;
            message.iter().try_for_each(|text| print_output(text))
        }),
        Command::Completions { shell } => print_output(&command_docs::completions(shell, program)),
        Command::Man => command_docs::manual(program).and_then(|page| print_output(&page)),
    };
    exit_code(done)
}

/// Returns the folder of the tritonserver whose library this process opens for `check`, if that has
/// started it. This is no subcommand, because a program can set the arguments of its command line.
pub(super) fn core_to_describe(mut process: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let is_child = process.nth(1)? == DESCRIBE_CORE;
    process.next().filter(|_| is_child).map(PathBuf::from)
}

/// Opens the library of a tritonserver and describes it.
pub(super) fn describe_core(folder: &Path) -> ExitCode {
    exit_code(print_output(&tritonserver::describe_core(folder)))
}

fn exit_code(done: Result<(), ServerError>) -> ExitCode {
    match done {
        Ok(()) => {
            logging::flush();
            ExitCode::SUCCESS
        }
        Err(error) => {
            print_error(&error);
            ExitCode::FAILURE
        }
    }
}

/// Starts to log. Variables of the environment that set no option are the first warnings.
fn log(options: &Options, program: &Program) -> Result<Export, ServerError> {
    let settings = options.log_settings();
    let export = logging::init(&settings, options.traces_exporter).map_err(ServerError::Traces)?;
    for unknown in unknown_variables(&program.command) {
        tracing::warn!("{unknown}");
    }
    Ok(export)
}

fn choose(
    options: &Options,
    extensions: &Extensions,
) -> Result<Box<dyn ChosenEngine>, ServerError> {
    let engine = choice::choose(&options.triton, extensions)?;
    engine.log();
    Ok(engine)
}

fn registry(overrides: &OverrideOptions) -> Result<Registry, ServerError> {
    let registry = Registry::collect_with(&overrides.model)?;
    if registry.is_empty() {
        return Err(ServerError::NoModels);
    }
    registry.check_overrides(&overrides.model)?;
    Ok(registry)
}

/// Returns the OpenAPI document of a server that is started without options.
fn described(registry: &Registry) -> String {
    let served = registry.served();
    let models = served.iter().map(|spec| &**spec);
    format!("{:#}", document(models, &default_routes()))
}

fn with_runtime<T>(
    work: impl FnOnce(&Runtime) -> Result<T, ServerError>,
) -> Result<T, ServerError> {
    let runtime = runtime(&mut Builder::new_multi_thread())?;
    let done = work(&runtime);
    // A function that never returns must not keep the process from ending.
    runtime.shutdown_background();
    done
}

/// Prints text and ignores errors: a closed standard output is no reason to stop serving.
pub(super) fn print(text: &str) {
    let _ = write(io::stdout().lock(), text);
}

/// Prints requested output. An error is reported, so a full disk does not truncate a signature file
/// silently.
fn print_output(text: &str) -> Result<(), ServerError> {
    ignore_broken_pipe(write(io::stdout().lock(), text.trim_end()))
}

/// Ignores a broken pipe: a reader such as `head` has seen enough.
fn ignore_broken_pipe(written: io::Result<()>) -> Result<(), ServerError> {
    match written {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(ServerError::Output(source))
        }
        _ => Ok(()),
    }
}

fn write(mut to: impl Write, text: &str) -> io::Result<()> {
    writeln!(to, "{text}")?;
    to.flush()
}

fn print_error(error: &dyn Error) {
    logging::print_error(&format!("error: {error}"));
}

#[cfg(test)]
mod tests {
    use io::ErrorKind::{BrokenPipe, StorageFull};

    use super::*;

    #[test]
    fn only_the_child_of_check_describes_the_core() {
        let of = |arguments: &[&str]| core_to_describe(arguments.iter().map(OsString::from));
        let folder = Some(PathBuf::from("/opt/tritonserver"));
        assert_eq!(of(&["p", DESCRIBE_CORE, "/opt/tritonserver"]), folder);
        assert_eq!(of(&["p", DESCRIBE_CORE]), None);
        assert_eq!(of(&["p", "check", DESCRIBE_CORE]), None);
        assert_eq!(of(&["p"]), None);
    }

    #[test]
    fn lost_output_is_an_error() {
        let lost = ignore_broken_pipe(Err(StorageFull.into())).unwrap_err();
        assert_eq!(
            lost.to_string(),
            "cannot write to standard output: no storage space"
        );
        ignore_broken_pipe(Err(BrokenPipe.into())).unwrap();
        ignore_broken_pipe(write(Vec::new(), "text")).unwrap();
    }
}
