use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::server::body_pace::BodyPace;
use crate::{BodyError, MinRate};

/// Limits the time for receiving the body of a request. Only time spent waiting for the client
/// counts.
pub struct BodyTimeout {
    rule: MinRate,
    pace: BodyPace,
    since: Option<Instant>,
    timers: Option<Timers>,
}

/// Timers and signals that may end a wait. Most bodies never need them.
struct Timers {
    time: Pin<Box<Sleep>>,
    /// `None` once the server is stopping.
    stopping: Option<BoxFuture<'static, ()>>,
}

impl BodyTimeout {
    /// Creates the time limit of a body.
    #[inline]
    pub fn new(rule: MinRate) -> Self {
        Self {
            rule,
            pace: BodyPace::new(rule),
            since: None,
            timers: None,
        }
    }

    /// Records received bytes.
    #[inline]
    pub fn receive(&mut self, bytes: usize) {
        let waited = self.since.take().map(|since| since.elapsed());
        self.pace.receive(bytes, waited.unwrap_or_default());
    }

    /// Restarts the limit, because everything expected so far has arrived.
    pub fn restart(&mut self) {
        self.since = None;
        self.pace = BodyPace::new(self.rule);
        if let Some(Timers { stopping: None, .. }) = self.timers {
            self.pace.shorten();
        }
    }

    /// Call this while no data is available. Ready when the time has run out. `stopping` returns a
    /// future that is ready when the server stops; after that, the remaining time is shorter.
    pub fn poll_expired(
        &mut self,
        context: &mut Context<'_>,
        stopping: impl FnOnce() -> BoxFuture<'static, ()>,
    ) -> Poll<BodyError> {
        let timers = self.timers.get_or_insert_with(|| Timers {
            time: Box::pin(sleep_until(Instant::now())),
            stopping: Some(stopping()),
        });
        let stops = |stopping: &mut BoxFuture<'static, ()>| stopping.poll_unpin(context).is_ready();
        if timers.stopping.as_mut().is_some_and(stops) {
            timers.stopping = None;
            let waited = self.since.take().map(|since| since.elapsed());
            self.pace.receive(0, waited.unwrap_or_default());
            self.pace.shorten();
        }
        if self.since.is_none() {
            let now = Instant::now();
            self.since = Some(now);
            let until = now.checked_add(self.pace.wait()).unwrap_or(now);
            timers.time.as_mut().reset(until);
        }
        ready!(timers.time.poll_unpin(context));
        Poll::Ready(self.pace.error())
    }
}

impl fmt::Debug for BodyTimeout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BodyTimeout")
            .field("pace", &self.pace)
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn};
    use std::time::Duration;

    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Waits for a body that sends one byte after each of the pauses, and then nothing. Returns the
    /// error and the seconds until then. The server stops after `stop`.
    async fn wait(pauses: &[Duration], stop: Option<Duration>) -> (BodyError, u64) {
        let begun = Instant::now();
        let mut body_timeout = BodyTimeout::new(MinRate::new(20 * SECOND, 1));
        let stopping = || match stop {
            Some(after) => sleep(after).boxed(),
            None => pending().boxed(),
        };
        for pause in pauses {
            let mut pause = Box::pin(sleep(*pause));
            let late = poll_fn(|context| match pause.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => body_timeout.poll_expired(context, stopping).map(Some),
            });
            if let Some(error) = late.await {
                return (error, begun.elapsed().as_secs());
            }
            body_timeout.receive(1);
        }
        let error = poll_fn(|context| body_timeout.poll_expired(context, stopping)).await;
        (error, begun.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn stalled_and_slow_bodies_time_out() {
        type Row<'a> = (&'a [Duration], Option<Duration>, (BodyError, u64));
        let stalled = BodyError::Stalled { seconds: 20 };
        let slow = BodyError::Slow { rate: 1 };
        let steady = vec![SECOND; 100];
        let table: [Row<'_>; 6] = [
            (&[], None, (stalled, 20)),
            (&steady, None, (stalled, 120)),
            // Each pause takes 11 seconds; the byte after it extends the timeout by one second.
            (&[11 * SECOND; 9], None, (slow, 21)),
            (&[], Some(5 * SECOND), (BodyError::Stopping, 7)),
            (&[], Some(19 * SECOND), (BodyError::Stopping, 20)),
            (&steady, Some(5 * SECOND), (BodyError::Stopping, 102)),
        ];
        for (pauses, stop, expected) in table {
            let waited = wait(pauses, stop).await;
            assert_eq!(waited, expected, "{} {stop:?}", pauses.len());
        }
    }
}
