use std::time::Duration;

use tokio::runtime::Runtime;

use super::run::{print, registry};
use super::signal::StopSignals;
use super::{Options, Server, ServerError, banner};

/// Serves on the threads of `workers` until a signal comes, which is heard `here`.
pub(super) fn serve(
    options: &Options,
    workers: &Runtime,
    here: &Runtime,
) -> Result<(), ServerError> {
    let registry = registry()?;
    let signals = here.block_on(async { StopSignals::new() })?;
    let server = workers.block_on(Server::start(&registry, options))?;
    print(&banner(&registry, server.addresses(), "embedded"));
    here.block_on(until_stopped(server, signals, options.exit_timeout_secs))
}

async fn until_stopped(
    server: Server,
    mut signals: StopSignals,
    seconds: u64,
) -> Result<(), ServerError> {
    let signal = signals.next().await;
    tracing::info!(
        signal,
        "stopping: accepted requests are answered, new ones refused"
    );
    tokio::select! {
        answered = server.stop(Duration::from_secs(seconds)) => match answered {
            true => Ok(()),
            false => Err(ServerError::Drain { seconds }),
        },
        signal = signals.next() => {
            tracing::warn!(signal, "stopping at once");
            Err(ServerError::Interrupted { signal })
        }
    }
}
