use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::yield_now;

use crate::model::{Executed, ModelError, Request};
use crate::panic::discard;
use crate::runner::Detached;

use super::message::Batch;
use super::queue::Queue;
use super::replies::{Exit, Replies};

/// Executes batches on the thread that has brought them, where the function has no state and is over in less time than it
/// takes to hand a batch to an instance's thread and its responses back.
///
/// Of the model's instances it takes the place of one as long as it executes.
#[derive(Debug)]
pub(super) struct Caller {
    runner: Detached,
    exit: Arc<Exit>,
    queue: Arc<Queue>,
}

/// What `tokio` says to a function that blocks on a future where it must not: on the threads that serve connections.
const BLOCKS: &str = "from within a runtime";

/// Of so many bytes a copy takes some tens of microseconds.
const SMALL: usize = 256 << 10;

impl Caller {
    pub(super) fn new(runner: Detached, exit: &Arc<Exit>, queue: &Arc<Queue>) -> Self {
        Self {
            runner,
            exit: Arc::clone(exit),
            queue: Arc::clone(queue),
        }
    }

    /// Whether a request that comes now is best executed at once.
    pub(super) fn is_quick(&self) -> bool {
        self.exit.pace().is_short()
    }

    /// Whether what is copied of a request takes no time to speak of.
    pub(super) fn is_small(request: &Request) -> bool {
        request.bytes() <= SMALL
    }

    /// Executes a batch, and sees to it that those are executed that wait for its place.
    pub(super) fn run(self: &Arc<Self>, batch: Batch) {
        if self.execute(batch) {
            let caller = Arc::clone(self);
            Handle::current().spawn(async move { caller.run_waiting().await });
        }
    }

    /// Executes the batches that wait, by turns with whatever else the thread has to do.
    async fn run_waiting(self: &Arc<Self>) {
        while self.is_quick()
            && let Some(batch) = self.queue.try_next_batch()
        {
            if batch
                .waiting
                .iter()
                .all(|waiting| Self::is_small(&waiting.request))
            {
                if !self.execute(batch) {
                    return;
                }
                yield_now().await;
            } else {
                let (requests, replies) = Replies::part(&self.exit, batch);
                return self.run_apart(requests, replies);
            }
        }
        // An instance's thread goes on where this ends.
        self.queue.wake();
    }

    /// Executes a batch; says whether others wait for its place.
    fn execute(self: &Arc<Self>, batch: Batch) -> bool {
        let (requests, replies) = Replies::part(&self.exit, batch);
        let Some(executed) = self.called(&requests) else {
            return false;
        };
        if !executed
            .results
            .iter()
            .any(|result| blocks(result.as_ref().err()))
        {
            return replies.conclude(executed);
        }
        self.exit.pace().never();
        self.run_apart(requests, replies);
        false
    }

    /// Executes a batch where a thread may be held.
    fn run_apart(self: &Arc<Self>, requests: Vec<Request>, replies: Replies) {
        let caller = Arc::clone(self);
        Handle::current().spawn_blocking(move || {
            if let Some(executed) = caller.called(&requests) {
                replies.finish(executed);
            }
        });
    }

    /// Calls the function; `None` where something of the user's has panicked outside of it, which costs an instance its
    /// thread, and here the batch.
    fn called(&self, requests: &[Request]) -> Option<Executed> {
        let called = catch_unwind(AssertUnwindSafe(|| self.runner.execute_here(requests)));
        called.unwrap_or_else(|panic| {
            discard(panic);
            None
        })
    }
}

fn blocks(error: Option<&ModelError>) -> bool {
    matches!(error, Some(ModelError::Panic { message, .. }) if message.contains(BLOCKS))
}
