use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::watchdog::{Watch, Watchdog};

use super::message::Batch;

/// Calls an instance to look for a batch.
#[derive(Debug, Default)]
pub(super) struct Bell(Arc<Notify>);

/// What an instance finds.
pub(super) enum Found<T = Batch> {
    /// A batch.
    Batch(T),
    /// Nothing, until something changes or that time is over.
    Look(Option<Duration>),
    /// Nothing, for ever.
    End,
}

impl Bell {
    /// Lets one instance look, that waits or comes next.
    pub(super) fn ring(&self) {
        self.0.notify_one();
    }

    /// Lets all instances look that wait.
    pub(super) fn ring_for_all(&self) {
        self.0.notify_waiters();
    }

    /// Looks at first and whenever it is called, until there is a batch, or none will be.
    ///
    /// # Cancel safety
    ///
    /// What `look` finds is returned in the poll in which it is found.
    pub(super) async fn wait<T>(&self, look: impl Fn() -> Found<T>) -> Option<T> {
        loop {
            // Registered before the look, so that a request that comes in between is not missed.
            let rung = self.0.notified();
            let look_again = match look() {
                Found::Batch(batch) => return Some(batch),
                Found::End => return None,
                Found::Look(after) => after,
            };
            match look_again {
                Some(after) => {
                    let _precise = self.ring_after(after);
                    let _ = timeout(after, rung).await;
                }
                None => rung.await,
            }
        }
    }

    /// Rings after some time: the runtime's timers know milliseconds only.
    fn ring_after(&self, after: Duration) -> Option<Watch> {
        let deadline = std::time::Instant::now().checked_add(after)?;
        let bell = Arc::clone(&self.0);
        // Without that thread the runtime's timer wakes it, somewhat later.
        let watchdog = Watchdog::started().ok()?;
        Some(watchdog.notify_at(deadline, bell))
    }
}
