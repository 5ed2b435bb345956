use tokio::sync::{Mutex, mpsc, oneshot};

use crate::host::Host;
use crate::scheduler::SchedulerError;

use super::requests::Handover;
use super::run::{Results, Run, execute};

/// The way to the instances of a model, which live on other threads.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    model: &'static str,
    batches: mpsc::Sender<Call>,
}

/// The end of a [`Line`], where the instances take their batches.
#[derive(Debug)]
pub(crate) struct LineEnd(Mutex<mpsc::Receiver<Call>>);

#[derive(Debug)]
struct Call {
    handed: Handover,
    done: oneshot::Sender<Results>,
}

/// A line to the instances of a model.
pub(crate) fn line(model: &'static str) -> (Line, LineEnd) {
    // Whoever sends waits for the results, so that the senders bound what is under way.
    let (batches, end) = mpsc::channel(1);
    (Line { model, batches }, LineEnd(Mutex::new(end)))
}

impl Run for Line {
    fn run(&self, handed: Handover) -> Results {
        let requests = handed.requests.len();
        let (done, results) = oneshot::channel();
        // A call that nobody takes goes with its `done`, which the line below finds out.
        let _ = self.batches.blocking_send(Call { handed, done });
        results.blocking_recv().unwrap_or_else(|_| {
            let error = SchedulerError::NoInstance { model: self.model };
            vec![Err(error.into()); requests]
        })
    }
}

impl LineEnd {
    /// Runs what comes on an instance, at most so many batches side by side, until no line is left.
    pub(crate) fn serve(&self, host: &Host, side_by_side: usize) {
        let next = async || self.0.lock().await.recv().await;
        host.run_all(side_by_side, next, async |Call { handed, done }| {
            let results = execute(host, &handed).await;
            drop(handed);
            // The caller waits for it.
            let _ = done.send(results);
        });
    }
}
