use std::io;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

/// Initial and maximum pause after `accept` fails because the system is out of file descriptors.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Minimum time between two warnings about the shortage.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Accepts the connections of a port.
#[derive(Debug)]
pub(crate) struct Acceptor {
    listener: TcpListener,
    shortage: Shortage,
}

/// A shortage of system resources: the next pause, and when it was last logged.
#[derive(Debug)]
struct Shortage {
    pause: Duration,
    logged: Option<Instant>,
}

impl Acceptor {
    pub(crate) fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            shortage: Shortage::new(),
        }
    }

    /// Returns the next connection.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: no connection is lost.
    pub(crate) async fn next(&mut self) -> TcpStream {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    self.shortage.end();
                    return stream;
                }
                Err(error) if is_of_the_connection(&error) => {}
                Err(error) => {
                    let (pause, log) = self.shortage.next(Instant::now());
                    if log {
                        tracing::warn!(%error, "cannot accept connections");
                    }
                    sleep(pause).await;
                }
            }
        }
    }

    /// Returns a connection if one is already in the listen queue.
    pub(crate) async fn waiting(&self) -> Option<TcpStream> {
        tokio::select! {
            biased;
            accepted = self.listener.accept() => accepted.ok().map(|(stream, _)| stream),
            () = std::future::ready(()) => None,
        }
    }
}

impl Shortage {
    fn new() -> Self {
        Self {
            pause: PAUSES.0,
            logged: None,
        }
    }

    /// Returns how long to wait now, and whether to log the reason.
    fn next(&mut self, now: Instant) -> (Duration, bool) {
        let pause = self.pause;
        self.pause = (2 * pause).min(PAUSES.1);
        let recent = |logged| now.duration_since(logged) < LOG_INTERVAL;
        let log = !self.logged.is_some_and(recent);
        if log {
            self.logged = Some(now);
        }
        (pause, log)
    }

    fn end(&mut self) {
        self.pause = PAUSES.0;
    }
}

/// Returns whether `accept` failed for this one connection only.
fn is_of_the_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptor_shortage_is_logged_once_a_minute_and_checked_once_a_second() {
        let (mut shortage, mut now) = (Shortage::new(), Instant::now());
        let end = now + Duration::from_secs(150);
        let (mut checks, mut lines) = (0, 0);
        while now < end {
            let (pause, log) = shortage.next(now);
            now += pause;
            checks += 1;
            lines += u32::from(log);
        }
        assert_eq!((lines, checks), (3, 155));
        shortage.end();
        assert_eq!(shortage.next(now), (PAUSES.0, false));
    }
}
