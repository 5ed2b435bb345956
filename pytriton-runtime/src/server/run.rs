use std::error::Error;
use std::future::Future;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::logging::{self, LogFormat};
use crate::model::Registry;
use crate::triton::process::outlive_file_size_limits;
use crate::triton::{BACKEND, Choice, Places, write_repository};

use super::command::{Command, CommandLine};
use super::signal::StopSignals;
use super::{Options, Server, ServerError, banner, check, descriptors, inspect, table};

/// Runs the command line of a binary with models: what `pytriton::main!` calls.
///
/// The exit code is 0 when all went well, 1 for a failure, 2 for a mistake on the command line.
pub fn run(name: &'static str, version: &'static str) -> ExitCode {
    descriptors::raise_limit();
    outlive_file_size_limits();
    let done = match CommandLine::command(name, version) {
        Command::Serve(options) => {
            logging::init(options.log_verbose, options.log_format);
            choose(&options).and_then(|choice| match choice {
                Choice::Embedded(_) => block_on(serve(options)),
                #[cfg(target_os = "linux")]
                Choice::Tritonserver(located, probe) => {
                    block_on(super::tritonserver::serve(options, located, probe))
                }
            })
        }
        Command::List => registry().map(|registry| print(table(&registry).trim_end())),
        Command::Check(options) => {
            logging::init(options.log_verbose, options.log_format);
            choose(&options)
                .and_then(|choice| {
                    block_on(async move { check::check(&registry()?, &options, choice).await })
                })
                .map(|report| print(&report))
        }
        Command::Install => {
            logging::init(0, LogFormat::Human);
            inspect::install().map(|report| print(&report))
        }
        Command::Repository {
            folder,
            native: false,
        } => registry().and_then(|registry| Ok(write_repository(&folder, BACKEND, &registry)?)),
        Command::Repository {
            folder,
            native: true,
        } => registry()
            .and_then(|registry| inspect::native(&folder, &registry))
            .map(|start| print(&start)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&error);
            ExitCode::FAILURE
        }
    }
}

fn choose(options: &Options) -> Result<Choice, ServerError> {
    let triton = &options.triton;
    let choice = Choice::new(triton, &Places::new(triton.tritonserver.clone()))?;
    choice.log(triton);
    Ok(choice)
}

async fn serve(options: Options) -> Result<(), ServerError> {
    let registry = registry()?;
    let mut signals = StopSignals::new()?;
    let server = Server::start(&registry, &options).await?;
    print(&banner(&registry, server.addresses(), "embedded"));
    let signal = signals.next().await;
    tracing::info!(
        signal,
        "stopping: accepted requests are answered, new ones refused"
    );
    tokio::select! {
        answered = server.stop(Duration::from_secs(options.exit_timeout_secs)) => match answered {
            true => Ok(()),
            false => Err(ServerError::Drain { seconds: options.exit_timeout_secs }),
        },
        signal = signals.next() => {
            tracing::warn!(signal, "stopping at once");
            Err(ServerError::Interrupted { signal })
        }
    }
}

pub(super) fn registry() -> Result<Registry, ServerError> {
    let registry = Registry::collect()?;
    if registry.is_empty() {
        return Err(ServerError::NoModels);
    }
    Ok(registry)
}

fn block_on<T>(future: impl Future<Output = Result<T, ServerError>>) -> Result<T, ServerError> {
    let runtime = runtime()?;
    let done = runtime.block_on(future);
    // A function that never returns must not keep the process from ending.
    runtime.shutdown_background();
    done
}

fn runtime() -> Result<Runtime, ServerError> {
    Builder::new_multi_thread()
        .enable_all()
        .thread_name("pytriton")
        .build()
        .map_err(|source| ServerError::System {
            what: "the runtime",
            source,
        })
}

/// Standard output may be closed: that is no reason to stop serving.
pub(super) fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
}

fn print_error(error: &dyn Error) {
    let _ = writeln!(io::stderr().lock(), "error: {error}");
}
