use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use tokio::runtime::{Builder, Runtime};
use tokio::task::{spawn_blocking, yield_now};

use crate::call::{Executed, ModelError};
use crate::panic::discard;
use crate::request::{Few, Request, Response};
use crate::runner::Detached;

use super::message::Batch;
use super::queue::Queue;
use super::replies::{Exit, Replies};
use super::workers::{Loan, Workers};

/// Executes batches on the thread that has brought them, where the function has no state and is over in less time than it
/// takes to hand a batch to an instance's thread and its responses back.
///
/// Of the model's instances it takes the place of one as long as it executes. A function that panics there because it may
/// not block is called once more where it may: what it did before is done twice, once.
#[derive(Debug)]
pub(super) struct Caller {
    runner: Detached,
    workers: Arc<Workers>,
    exit: Arc<Exit>,
    queue: Arc<Queue>,
}

/// What `tokio` says to a function that blocks where it must not: on the threads that serve connections.
const BLOCKS: [&str; 2] = [
    "from within a runtime",
    "in a context where blocking is not allowed",
];

/// Drives what functions spawn that are called on the threads of another runtime: they may wait for it, and on the thread
/// that waits it would never run.
static SPAWNED: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(1).thread_name("spawned");
    builder.enable_all().build().ok()
});

/// Of so many bytes a copy takes some tens of microseconds.
const SMALL: usize = 256 << 10;

impl Caller {
    /// `None` where there is no thread to be had for what the function may spawn.
    pub(super) fn new(
        runner: Detached,
        workers: &Arc<Workers>,
        exit: &Arc<Exit>,
        queue: &Arc<Queue>,
    ) -> Option<Arc<Self>> {
        let spawned = SPAWNED.as_ref()?;
        Some(Arc::new(Self {
            runner: runner.within(spawned.handle()),
            workers: Arc::clone(workers),
            exit: Arc::clone(exit),
            queue: Arc::clone(queue),
        }))
    }

    /// The thread that asks, where a request that comes now is best executed at once.
    pub(super) fn lend(&self, request: &Request) -> Option<Loan<'_>> {
        let quick = self.exit.speed().is_short() && request.bytes() <= SMALL;
        quick.then(|| self.workers.lend()).flatten()
    }

    /// Executes a batch, and sees to it that those are executed that wait for its place.
    pub(super) fn run(self: &Arc<Self>, batch: Batch) {
        if self.execute(batch) {
            let caller = Arc::clone(self);
            tokio::spawn(async move { caller.run_waiting().await });
        }
    }

    /// Executes the batches that wait, by turns with whatever else the thread has to do.
    async fn run_waiting(self: &Arc<Self>) {
        while let Some(goes_on) = self.run_next() {
            if !goes_on {
                return;
            }
            yield_now().await;
        }
        // An instance's thread goes on where this ends.
        self.queue.wake();
    }

    /// Executes the next batch, where there is one for this thread; says whether there is another.
    fn run_next(self: &Arc<Self>) -> Option<bool> {
        let _loan = match self.exit.speed().is_short() {
            true => self.workers.lend()?,
            false => return None,
        };
        let batch = self.queue.try_next_batch()?;
        let bytes: usize = batch.requests.iter().map(Request::bytes).sum();
        if bytes <= SMALL {
            return Some(self.execute(batch));
        }
        let (requests, replies) = Replies::part(&self.exit, batch);
        let caller = Arc::clone(self);
        spawn_blocking(move || {
            if let Some(executed) = caller.called(&requests) {
                replies.finish(executed);
            }
        });
        Some(false)
    }

    /// Executes a batch; says whether others wait for its place.
    fn execute(self: &Arc<Self>, batch: Batch) -> bool {
        let (requests, replies) = Replies::part(&self.exit, batch);
        let Some(executed) = self.called(&requests) else {
            return false;
        };
        self.exit.speed().check(executed.durations.total());
        if !executed.results.iter().any(blocks) {
            return replies.conclude(executed);
        }
        self.exit.speed().never();
        self.run_again(requests, replies, executed);
        false
    }

    /// Executes those again that could not block, where a thread may be held.
    fn run_again(
        self: &Arc<Self>,
        requests: Few<Request>,
        replies: Replies,
        mut executed: Executed,
    ) {
        let caller = Arc::clone(self);
        spawn_blocking(move || {
            let requests = requests.into_iter().zip(&executed.results);
            let again = requests.filter(|(_, result)| blocks(result));
            let again: Vec<Request> = again.map(|(request, _)| request).collect();
            let Some(other) = caller.called(&again) else {
                return;
            };
            let blocked = executed.results.iter_mut().filter(|result| blocks(result));
            for (result, other) in blocked.zip(other.results) {
                *result = other;
            }
            replies.finish(executed);
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

fn blocks(result: &Result<Response, ModelError>) -> bool {
    match result {
        Err(ModelError::Panic { message, .. }) => BLOCKS.iter().any(|text| message.contains(text)),
        _ => false,
    }
}
