use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use pytriton_engine::settings::unknown_variables;
use tokio::runtime::{Builder, Runtime};

use crate::access::default_routes;
use crate::logging::{self, LogSettings};
use crate::openapi::document;
use crate::registry::Registry;
use crate::trace::{Export, TracesExporter};

use super::blocking::runtime;
use super::chosen_engine::ChosenEngine;
use super::command::{Command, CommandLine, Format};
use super::ffi::outlive_file_size_limits;
use super::signature_check::Compared;
use super::{
    Options, ServerError, Triton, check, choice, command_docs, descriptors, table, tritonserver,
};

/// The exit code for a usage error, as in clap.
const USAGE_ERROR: u8 = 2;

/// Runs the command line of a binary with models. `pytriton::main!` calls this function.
///
/// The exit code is 0 for success, 1 for a failure, and 2 for an error in the command line or in a
/// configuration file.
pub fn run(name: &'static str, version: &'static str) -> ExitCode {
    descriptors::raise_limit();
    outlive_file_size_limits();
    let (command, settings) = match CommandLine::command(name, version) {
        Ok(read) => read,
        Err(mistakes) => {
            print_error(&mistakes);
            return ExitCode::from(USAGE_ERROR);
        }
    };
    let done = match command {
        Command::Serve(options) => {
            let export = log(&options, name, version);
            let served = export.and_then(|export| {
                Triton::with(*options, registry()?).serve()?;
                Ok(export)
            });
            // Dropping it exports the remaining spans before the process ends.
            served.map(drop)
        }
        Command::List { format } => registry().and_then(|registry| match format {
            Format::Text => print_output(&table(&registry)),
            Format::Json => print_output(&registry.lock().to_json()),
            Format::Openapi => print_output(&described(&registry)),
        }),
        Command::Check {
            lock: Some(file), ..
        } => registry().and_then(|registry| {
            let compared = Compared::new(&file, &registry)?;
            print_output(&compared.to_string())?;
            compared.check()
        }),
        Command::Check {
            lock: None,
            options,
        } => {
            let export = log(&options, name, version);
            print_output(&check::settings(&settings, &options))
                .and(export)
                .and_then(|_export| choose(&options))
                .and_then(|engine| {
                    let models = options.served(registry()?);
                    with_runtime(|runtime| {
                        check::check(runtime, &models, &options, engine.as_ref())
                    })
                })
                .and_then(|report| print_output(&report))
        }
        Command::Install => {
            let export = logging::init(&LogSettings::default(), TracesExporter::None);
            let export = export.map_err(ServerError::Traces);
            export.and_then(|_export| print_output(&tritonserver::install()?))
        }
        Command::Repository { folder, native } => registry().and_then(|registry| {
            let message = tritonserver::write_models(&folder, native, &registry)?;
            message.iter().try_for_each(|text| print_output(text))
        }),
        Command::Completions { shell } => {
            print_output(&command_docs::completions(shell, name, version))
        }
        Command::Man => command_docs::manual(name, version).and_then(|page| print_output(&page)),
    };
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
fn log(
    options: &Options,
    name: &'static str,
    version: &'static str,
) -> Result<Export, ServerError> {
    let settings = options.log_settings();
    let export = logging::init(&settings, options.traces_exporter).map_err(ServerError::Traces)?;
    for unknown in unknown_variables(&CommandLine::command_for(name, version)) {
        tracing::warn!("{unknown}");
    }
    Ok(export)
}

fn choose(options: &Options) -> Result<Box<dyn ChosenEngine>, ServerError> {
    let engine = choice::choose(&options.triton)?;
    engine.log();
    Ok(engine)
}

pub(super) fn registry() -> Result<Registry, ServerError> {
    let registry = Registry::collect()?;
    if registry.is_empty() {
        return Err(ServerError::NoModels);
    }
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
