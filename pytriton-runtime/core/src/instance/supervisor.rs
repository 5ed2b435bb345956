use std::collections::BTreeMap;
use std::fmt;
use std::iter::repeat_n;
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::call::{Context, Executed, ModelError};
use crate::request::SmallVec;
use crate::statistics::nanoseconds;
use crate::text::seconds;
use crate::watchdog::{Watch, Watchdog};

use super::Instances;

/// Receives the results of a batch.
type Finish = Box<dyn FnOnce(Executed) + Send>;

/// Enforces the time limit on the calls of one instance, and responds in its place while it is
/// stalled.
///
/// It owns everything that the instance has in flight. Each request therefore gets one response:
/// from the instance, or from the supervisor in its place.
#[derive(Debug)]
pub(super) struct Supervisor {
    context: Context,
    limit: Duration,
    instances: Arc<Instances>,
    watchdog: &'static Watchdog,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// The watched call of the function.
    call: Option<u64>,
    stalled: bool,
    batches: BTreeMap<u64, Batch>,
}

/// A batch that is not completed yet.
struct Batch {
    requests: usize,
    /// The results of its calls so far.
    executed: Executed,
    finish: Finish,
}

/// A call of the function for the first requests of a batch that have no results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calling {
    pub(super) batch: u64,
    pub(super) requests: usize,
    pub(super) begun: Instant,
}

impl Supervisor {
    /// Creates a supervisor for an instance, if its model's calls have a time limit.
    pub(super) fn new(
        context: &Context,
        instances: &Arc<Instances>,
    ) -> Result<Option<Arc<Self>>, ModelError> {
        let Some(limit) = context.model().call_options.call_limit() else {
            return Ok(None);
        };
        let watchdog = Watchdog::started().map_err(|error| ModelError::Load {
            model: Arc::clone(&context.model().name),
            instance: context.instance(),
            message: error.to_string(),
        })?;
        Ok(Some(Arc::new(Self {
            context: context.clone(),
            limit,
            instances: Arc::clone(instances),
            watchdog,
            state: Mutex::default(),
        })))
    }

    /// Registers a batch and returns its number.
    pub(super) fn begin(&self, requests: usize, finish: Finish) -> u64 {
        let mut state = self.state.lock();
        let batch = state.number();
        let executed = Executed::default();
        state.batches.insert(
            batch,
            Batch {
                requests,
                executed,
                finish,
            },
        );
        batch
    }

    /// Records the results of a batch's next call, unless the batch is already completed.
    pub(super) fn called(&self, batch: u64, call: Executed) -> ControlFlow<()> {
        let mut state = self.state.lock();
        let Some(batch) = state.batches.get_mut(&batch) else {
            return ControlFlow::Break(());
        };
        batch.executed.append(call);
        ControlFlow::Continue(())
    }

    /// Completes a batch whose calls have ended. Returns false if it was already completed.
    pub(super) fn end(&self, batch: u64) -> bool {
        let batch = self.state.lock().batches.remove(&batch);
        let Some(Batch {
            executed, finish, ..
        }) = batch
        else {
            return false;
        };
        finish(executed);
        true
    }

    /// Runs user code that no request waits for. Returns whether it stayed within the time limit.
    pub(super) fn run_without_requests(self: &Arc<Self>, something: impl FnOnce()) -> bool {
        let calling = Calling {
            batch: self.begin(0, Box::new(|_| ())),
            requests: 0,
            begun: Instant::now(),
        };
        let call = self.watch(self.deadline(calling.begun), calling);
        something();
        drop(call);
        let batch = self.state.lock().batches.remove(&calling.batch);
        batch.is_some()
    }

    pub(super) fn is_completed(&self, batch: u64) -> bool {
        !self.state.lock().batches.contains_key(&batch)
    }

    /// Returns the deadline of a call, or `None` if it exceeds the range of the clock.
    pub(super) fn deadline(&self, begun: Instant) -> Option<Instant> {
        begun.checked_add(self.limit)
    }

    /// Returns the error for requests whose call exceeded the limit.
    pub(super) fn too_long(&self) -> ModelError {
        ModelError::CallTooLong {
            model: Arc::clone(&self.context.model().name),
            limit: self.limit,
        }
    }

    /// Watches the instance while it is in a user function, until the returned guard is dropped.
    pub(super) fn watch(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        calling: Calling,
    ) -> Option<CallGuard<'_>> {
        let deadline = deadline?;
        let call = {
            let mut state = self.state.lock();
            let call = state.number();
            state.call = Some(call);
            call
        };
        let supervisor = Arc::clone(self);
        let on_expiry = move || supervisor.mark_stalled(call, calling);
        Some(CallGuard {
            supervisor: self,
            _watch: self.watchdog.run_at(deadline, on_expiry),
        })
    }

    /// Responds to all requests in place of the instance, on a separate thread.
    fn mark_stalled(&self, call: u64, calling: Calling) {
        let mut state = self.state.lock();
        if state.call != Some(call) {
            // It has just returned.
            return;
        }
        state.stalled = true;
        let batches = mem::take(&mut state.batches);
        // Under the lock, so that the stall is reported before the return. Before the responses, so
        // that a client that receives one also sees the model as not ready.
        self.instances.mark_stalled(self.context.instance());
        drop(state);
        let limit = seconds(self.limit);
        tracing::warn!(
            parent: self.context.logger(),
            "the instance has stalled: a call has taken longer than {limit}"
        );
        for (number, batch) in batches {
            match number == calling.batch {
                true => self.fail_batch(batch, Some(calling)),
                false => self.fail_batch(batch, None),
            }
        }
    }

    fn fail_batch(&self, batch: Batch, calling: Option<Calling>) {
        let Batch {
            requests,
            mut executed,
            finish,
        } = batch;
        if let Some(Calling {
            requests, begun, ..
        }) = calling
        {
            let mut call = Executed {
                results: SmallVec::repeat(Err(self.too_long()), requests),
                ..Executed::default()
            };
            call.durations.compute_infer = nanoseconds(begun.elapsed());
            executed.append(call);
        }
        let others = Err(ModelError::Hanging {
            model: Arc::clone(&self.context.model().name),
            instance: self.context.instance(),
            limit: self.limit,
        });
        let left = requests.saturating_sub(executed.results.len());
        executed.results.extend(repeat_n(others, left));
        finish(executed);
    }

    fn mark_recovered(&self) {
        let mut state = self.state.lock();
        state.call = None;
        if !mem::take(&mut state.stalled) {
            return;
        }
        drop(state);
        tracing::info!(
            parent: self.context.logger(),
            "the instance has recovered: the stalled call has returned"
        );
        self.instances.mark_recovered(self.context.instance());
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}

/// Watches a call of a user function until dropped.
#[derive(Debug)]
pub(super) struct CallGuard<'a> {
    supervisor: &'a Supervisor,
    _watch: Watch,
}

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        self.supervisor.mark_recovered();
    }
}
