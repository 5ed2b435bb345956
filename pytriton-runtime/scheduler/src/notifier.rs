use std::sync::Arc;
use std::time::Duration;

use pytriton_core::watchdog::{Watch, Watchdog};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::message::Batch;

/// Notifies instances to look for a batch.
#[derive(Debug, Default)]
pub(super) struct Notifier(Arc<Notify>);

/// The result of looking for a batch.
pub(super) enum Found<T = Batch> {
    /// A batch.
    Batch(T),
    /// None now. Look again after a notification or this time.
    Recheck(Option<Duration>),
    /// There will be no further batch.
    End,
}

impl Notifier {
    /// Notifies one instance: a waiting one, or the next one to wait.
    pub(super) fn notify(&self) {
        self.0.notify_one();
    }

    /// Notifies all waiting instances.
    pub(super) fn notify_all(&self) {
        self.0.notify_waiters();
    }

    /// Calls `look` at first and after each notification, until it finds a batch or there will be
    /// none.
    ///
    /// # Cancel safety
    ///
    /// The batch that `look` finds is returned in the same poll.
    pub(super) async fn wait<T>(&self, look: impl Fn() -> Found<T>) -> Option<T> {
        loop {
            // Register before looking, so that a concurrent notification is not missed.
            let notified = self.0.notified();
            let look_again = match look() {
                Found::Batch(batch) => return Some(batch),
                Found::End => return None,
                Found::Recheck(after) => after,
            };
            match look_again {
                Some(after) => {
                    let _precise = self.notify_after(after);
                    let _ = timeout(after, notified).await;
                }
                None => notified.await,
            }
        }
    }

    /// Notifies after a delay. The runtime's timers have a resolution of only one millisecond.
    fn notify_after(&self, after: Duration) -> Option<Watch> {
        let deadline = std::time::Instant::now().checked_add(after)?;
        let notifier = Arc::clone(&self.0);
        // Without that thread, the runtime's timer is used, which is less precise.
        let watchdog = Watchdog::started().ok()?;
        Some(watchdog.notify_at(deadline, notifier))
    }
}
