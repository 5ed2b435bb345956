use tokio::sync::watch;
use tokio::time::Instant;

/// Waits until the server stops. Returns the time by which connections must finish.
pub(crate) async fn stopped(stop: &mut watch::Receiver<Option<Instant>>) -> Instant {
    match stop.wait_for(Option::is_some).await {
        Ok(deadline) => deadline.unwrap_or_else(Instant::now),
        // The sender is gone, and so is the server.
        Err(_) => Instant::now(),
    }
}
