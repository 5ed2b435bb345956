use std::fmt;

use pytriton_backend::now;
use tokio::sync::{Mutex, mpsc};

use crate::Error;
use crate::host::Host;
use crate::scheduler::SchedulerError;

use super::{Gathered, Results, run};

/// The way to the instances of a model, which live on other threads.
#[derive(Debug, Clone)]
pub(crate) struct Calls(mpsc::Sender<Call>);

/// The end of [`Calls`], where the instances take their batches.
#[derive(Debug)]
pub(crate) struct CallsEnd(Mutex<mpsc::Receiver<Call>>);

/// A batch on its way to an instance. Whatever becomes of it, somebody hears.
pub(crate) struct Call {
    gathered: Gathered,
    is_cancelled: Box<dyn Fn(usize) -> bool + Send>,
    done: Option<Done>,
    model: &'static str,
}

/// Hears what became of a batch, and when its function was called.
type Done = Box<dyn FnOnce(Results, u64) + Send>;

/// A way to the instances of a model, on which so many batches may wait.
pub(crate) fn calls(most: usize) -> (Calls, CallsEnd) {
    let (calls, end) = mpsc::channel(most.max(1));
    (Calls(calls), CallsEnd(Mutex::new(end)))
}

impl Call {
    /// A batch; `is_cancelled` says of a request, when it is about to run, that nobody waits for it any more, and `done`
    /// hears what became of all of them, when nothing of the batch is left.
    pub(crate) fn new(
        model: &'static str,
        gathered: Gathered,
        is_cancelled: impl Fn(usize) -> bool + Send + 'static,
        done: impl FnOnce(Results, u64) + Send + 'static,
    ) -> Self {
        Self {
            gathered,
            is_cancelled: Box::new(is_cancelled),
            done: Some(Box::new(done)),
            model,
        }
    }

    async fn run(mut self, host: &Host) {
        let begun = now();
        let all = self.gathered.requests.len();
        let cancelled = self.gathered.leave_out(&self.is_cancelled);
        let ran = match self.gathered.requests.is_empty() {
            true => Vec::new(),
            false => run(host, &self.gathered).await,
        };
        let mut cancelled = cancelled.into_iter().peekable();
        let mut ran = ran.into_iter();
        let results = (0..all).map(|index| match cancelled.next_if_eq(&index) {
            Some(_) => Err(SchedulerError::Cancelled.into()),
            None => ran.next().unwrap_or_else(|| Err(gone(self.model))),
        });
        let results = results.collect();
        self.finish(results, begun);
    }

    fn finish(&mut self, results: Results, begun: u64) {
        self.gathered = Gathered::default();
        if let Some(done) = self.done.take() {
            done(results, begun);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let results = self.gathered.requests.iter();
        let results = results.map(|_| Err(gone(self.model))).collect();
        self.finish(results, now());
    }
}

impl Calls {
    /// Sends a batch, and waits where as many wait already as may. Without instances it has failed at once.
    pub(crate) fn send(&self, call: Call) {
        // A call that nobody takes tells so when it is dropped.
        let _ = self.0.blocking_send(call);
    }
}

impl CallsEnd {
    /// Runs what comes on an instance, at most so many batches side by side, until nobody is left who could send any.
    pub(crate) fn serve(&self, host: &Host, side_by_side: usize) {
        let next = async || self.0.lock().await.recv().await;
        host.run_all(side_by_side, next, async |call: Call| call.run(host).await);
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.gathered).finish()
    }
}

fn gone(model: &'static str) -> Error {
    SchedulerError::NoInstance { model }.into()
}
