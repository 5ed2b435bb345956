use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::Limits;
use crate::repository::ModelRepository;

use super::BodyError;
use super::pace::Pace;

/// Limits the time for receiving a body. Only time spent waiting for the client counts.
pub(crate) struct Patience {
    limits: Limits,
    models: Arc<ModelRepository>,
    pace: Pace,
    since: Option<Instant>,
    alarms: Option<Alarms>,
}

/// Timers and signals that may end a wait. Most bodies never need them.
struct Alarms {
    time: Pin<Box<Sleep>>,
    /// `None` once the server is stopping.
    stopping: Option<BoxFuture<'static, ()>>,
}

impl Patience {
    pub(crate) fn new(limits: &Limits, models: &Arc<ModelRepository>) -> Self {
        Self {
            limits: *limits,
            models: Arc::clone(models),
            pace: Pace::new(limits),
            since: None,
            alarms: None,
        }
    }

    /// Records received bytes.
    pub(crate) fn came(&mut self, bytes: usize) {
        let waited = self.since.take().map(|since| since.elapsed());
        self.pace.came(bytes, waited.unwrap_or_default());
    }

    /// Restarts the limit, because everything expected so far has arrived.
    pub(crate) fn renew(&mut self) {
        self.since = None;
        self.pace = Pace::new(&self.limits);
        if let Some(Alarms { stopping: None, .. }) = self.alarms {
            self.pace.hurry();
        }
    }

    /// Call this while no data is available. Ready when the time has run out.
    pub(crate) fn poll_late(&mut self, context: &mut Context<'_>) -> Poll<BodyError> {
        let alarms = self.alarms.get_or_insert_with(|| Alarms {
            time: Box::pin(sleep_until(Instant::now())),
            stopping: Some(self.models.stopping().boxed()),
        });
        let stops = |stopping: &mut BoxFuture<'static, ()>| stopping.poll_unpin(context).is_ready();
        if alarms.stopping.as_mut().is_some_and(stops) {
            alarms.stopping = None;
            let waited = self.since.take().map(|since| since.elapsed());
            self.pace.came(0, waited.unwrap_or_default());
            self.pace.hurry();
        }
        if self.since.is_none() {
            let now = Instant::now();
            self.since = Some(now);
            let until = now.checked_add(self.pace.wait()).unwrap_or(now);
            alarms.time.as_mut().reset(until);
        }
        ready!(alarms.time.poll_unpin(context));
        Poll::Ready(self.pace.error())
    }
}

impl fmt::Debug for Patience {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Patience")
            .field("pace", &self.pace)
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}
