use std::time::Duration;

use super::run::{print, registry};
use super::signal::StopSignals;
use super::{Options, Server, ServerError, banner};

/// Serves until a signal comes.
pub(super) async fn serve(options: Options) -> Result<(), ServerError> {
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
