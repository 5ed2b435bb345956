use std::fmt;
use std::sync::Arc;
use std::thread;

use pytriton_backend::now;
use tokio::sync::{Mutex, mpsc};

use crate::call::Answering;
use crate::model::ModelSpec;
use crate::runner::{Availability, Runner};
use crate::scheduler::SchedulerError;

use super::{Gathered, Results, Streaming};

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
    /// Where the answers of a decoupled model leave, and whom a function asks that asks whether somebody waits.
    streaming: Option<Arc<dyn Streaming>>,
    done: Done,
}

/// Who hears what became of a batch; when nobody has told it at the end, that its instance has ended.
struct Done {
    hear: Option<Hear>,
    requests: usize,
    spec: Arc<ModelSpec>,
}

/// Hears what became of a batch, and when its function was called.
type Hear = Box<dyn FnOnce(Results, u64) + Send>;

/// A way to the instances of a model, on which so many batches may wait.
pub(crate) fn calls(most: usize) -> (Calls, CallsEnd) {
    let (calls, end) = mpsc::channel(most.max(1));
    (Calls(calls), CallsEnd(Mutex::new(end)))
}

/// Refuses what waits where no instance can take it, without keeping whoever says so.
pub(crate) fn refuse(calls: &Arc<CallsEnd>, availability: Availability) {
    if availability == Availability::Ready {
        return;
    }
    let end = Arc::clone(calls);
    let refusing = thread::Builder::new().name("refusals".to_owned());
    if refusing.spawn(move || end.refuse(availability)).is_err() {
        // There is no thread for it: whoever comes next refuses them.
        tracing::debug!("no thread to refuse what waits");
    }
}

impl Call {
    /// A batch, with where its answers leave or who is asked about them, if anything does or is; `is_cancelled` says of a request, when it is about to run, that nobody waits for it any more, and `done`
    /// hears what became of all of them, when nothing of the batch is left.
    pub(crate) fn new(
        spec: &Arc<ModelSpec>,
        (gathered, streaming): (Gathered, Option<Arc<dyn Streaming>>),
        is_cancelled: impl Fn(usize) -> bool + Send + 'static,
        done: impl FnOnce(Results, u64) + Send + 'static,
    ) -> Self {
        let done = Done {
            hear: Some(Box::new(done)),
            requests: gathered.requests.len(),
            spec: Arc::clone(spec),
        };
        Self {
            gathered,
            is_cancelled: Box::new(is_cancelled),
            streaming,
            done,
        }
    }

    async fn run(self, runner: &Runner) {
        let begun = now();
        let Self {
            mut gathered,
            is_cancelled,
            streaming,
            done,
        } = self;
        let all = gathered.requests.len();
        // Requests are known there by their places in the batch, which must stay as they are.
        let watched = streaming.is_some() && !(0..all).all(&is_cancelled);
        // In a sequence the next request counts on this one.
        let whole = watched || done.spec.sequence_batching.is_some();
        let cancelled = gathered.leave_out(|index| !whole && is_cancelled(index));
        if gathered.requests.is_empty() {
            return done.tell(merge(all, cancelled, Results::default()), begun);
        }
        let finish = move |results| done.tell(merge(all, cancelled, results), begun);
        let answering = streaming.map(|streaming| {
            streaming.called(begun);
            streaming as Arc<dyn Answering>
        });
        gathered.run(runner, answering.as_ref(), finish).await;
    }

    /// Says that no instance will run it.
    fn refuse(self, availability: Availability) {
        let Self { gathered, done, .. } = self;
        drop(gathered);
        if let Some(error) = SchedulerError::refusal(&done.spec, availability) {
            let results = Results::repeat(Err(error), done.requests);
            done.tell(results, now());
        }
    }
}

impl Done {
    fn tell(mut self, results: Results, begun: u64) {
        if let Some(hear) = self.hear.take() {
            hear(results, begun);
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        if let Some(hear) = self.hear.take() {
            let model = Arc::clone(&self.spec.name);
            let error = SchedulerError::InstanceEnded { model };
            hear(Results::repeat(Err(error), self.requests), now());
        }
    }
}

/// The results of all requests, of which some were cancelled and the others ran.
fn merge(all: usize, cancelled: Vec<usize>, ran: Results) -> Results {
    let mut cancelled = cancelled.into_iter().peekable();
    let mut ran = ran.into_iter();
    let results = (0..all).map(|index| {
        let ran = match cancelled.next_if_eq(&index) {
            Some(_) => None,
            None => ran.next(),
        };
        ran.unwrap_or_else(|| Err(SchedulerError::Cancelled))
    });
    results.collect()
}

impl Calls {
    /// Sends a batch, and waits where as many wait already as may. Without instances it has failed at once.
    pub(crate) fn send(&self, call: Call) {
        // A call that nobody takes tells so when it is dropped.
        let _ = self.0.blocking_send(call);
    }
}

impl CallsEnd {
    /// Refuses what waits, because no instance takes it.
    pub(crate) fn refuse(&self, availability: Availability) {
        // Whoever has it is about to take the next one.
        while let Ok(mut calls) = self.0.try_lock() {
            let Ok(call) = calls.try_recv() else {
                return;
            };
            drop(calls);
            call.refuse(availability);
        }
    }

    /// Runs what comes on an instance, at most so many batches side by side, until nobody is left who could send any.
    pub(crate) fn serve(&self, runner: &Runner, side_by_side: usize) {
        let next = async || self.0.lock().await.recv().await;
        runner.run_all(side_by_side, next, async |call: Call| {
            call.run(runner).await
        });
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.gathered).finish()
    }
}
