use std::future::pending;
use std::sync::Arc;

use tokio::task::AbortHandle;
use tokio::time::sleep_until;

use super::queue::Queue;

/// The task that expires sequences of a model that are idle or have waited in the backlog for too
/// long. Dropping this ends the task.
#[derive(Debug)]
pub(super) struct Reaper(AbortHandle);

impl Reaper {
    /// Starts the task if the queue has sequences.
    pub(super) fn start(queue: &Arc<Queue>) -> Option<Self> {
        queue.sequences()?;
        let queue = Arc::clone(queue);
        let task = tokio::spawn(async move { while reap(&queue).await.is_some() {} });
        Some(Self(task.abort_handle()))
    }
}

async fn reap(queue: &Queue) -> Option<()> {
    let sequences = queue.sequences()?;
    let next = sequences.expire();
    let expired = async {
        match next {
            Some(next) => sleep_until(next).await,
            None => pending().await,
        }
    };
    tokio::select! {
        () = expired => {}
        () = sequences.earlier_deadline() => {}
    }
    Some(())
}

impl Drop for Reaper {
    fn drop(&mut self) {
        self.0.abort();
    }
}
