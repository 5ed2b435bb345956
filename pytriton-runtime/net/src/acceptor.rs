use std::io;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

/// Initial and maximum pause after `accept` fails because the system is out of file descriptors.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Minimum time between two warnings about the shortage.
const REMINDER: Duration = Duration::from_secs(60);

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
    said: Option<Instant>,
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
                    let (pause, say) = self.shortage.next(Instant::now());
                    if say {
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
            said: None,
        }
    }

    /// Returns how long to wait now, and whether to log the reason.
    fn next(&mut self, now: Instant) -> (Duration, bool) {
        let pause = self.pause;
        self.pause = (2 * pause).min(PAUSES.1);
        let recent = |said| now.duration_since(said) < REMINDER;
        let say = !self.said.is_some_and(recent);
        if say {
            self.said = Some(now);
        }
        (pause, say)
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
    fn a_shortage_is_said_once_a_minute_and_asked_about_once_a_second() {
        let (mut shortage, mut now) = (Shortage::new(), Instant::now());
        let end = now + Duration::from_secs(150);
        let (mut asked, mut said) = (0, 0);
        while now < end {
            let (pause, say) = shortage.next(now);
            now += pause;
            asked += 1;
            said += u32::from(say);
        }
        assert_eq!((said, asked), (3, 155));
        shortage.end();
        assert_eq!(shortage.next(now), (PAUSES.0, false));
    }
}
