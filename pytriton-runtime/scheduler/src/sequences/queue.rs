use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use pytriton_core::model::{Batcher, ModelSpec};
use pytriton_core::request::Sequence;
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::statistics::{FailureReason, Recorder, nanoseconds};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::Policy;
use crate::message::{Batch, Origin, Ticket, Waiting};
use crate::notifier::{self, Notifier};

use super::restarts::Restarts;
use super::table::{DropReason, Found, Table};

/// The waiting requests of a model's sequences, and the rules by which they leave.
#[derive(Debug)]
pub(crate) struct SequenceQueue {
    pub(super) spec: Arc<ModelSpec>,
    pub(super) policy: Policy,
    pub(super) state: Mutex<State>,
    /// The instances. Each one takes only requests of its own sequences.
    pub(super) notifiers: BTreeMap<u32, Notifier>,
    /// Notified when a deadline is earlier than the known ones.
    pub(super) earlier_deadline: Notify,
    pub(super) recorder: Recorder,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) table: Box<Table<Waiting>>,
    pub(super) next_ticket: u64,
    pub(super) restarts: Restarts,
    /// Whether new sequences are refused.
    pub(super) stopping: bool,
    pub(super) closed: bool,
    /// Why requests are refused although the queue is open. Set while no instance is available.
    pub(super) refusing: Option<SchedulerError>,
    /// When the reaper will check deadlines next.
    pub(super) next_check: Option<Instant>,
}

impl SequenceQueue {
    pub(crate) fn new(spec: &Arc<ModelSpec>, batcher: &Batcher, policy: Policy) -> Self {
        let instances = 0..spec.instances.count();
        Self {
            spec: Arc::clone(spec),
            policy,
            state: Mutex::new(State {
                table: Box::new(Table::new(spec, batcher)),
                next_ticket: 0,
                restarts: Restarts::default(),
                stopping: false,
                closed: false,
                refusing: None,
                next_check: None,
            }),
            notifiers: instances
                .map(|instance| (instance, Notifier::default()))
                .collect(),
            earlier_deadline: Notify::new(),
            recorder: Recorder::default(),
        }
    }

    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Records that a batch has been executed.
    pub(crate) fn release(&self, origin: &Origin) {
        let Origin::Slots { instance, slots } = origin else {
            return;
        };
        let mut state = self.lock();
        state.table.executed(*instance, slots, Instant::now());
        self.see_to_it(state);
    }

    /// Removes a request unless a batch has it. Returns whether it was removed. The sequence ends
    /// before it.
    pub(crate) fn withdraw(&self, ticket: Ticket, reason: FailureReason) -> bool {
        let mut state = self.lock();
        let Some(waiting) = state.table.remove_cancelled(ticket.number, Instant::now()) else {
            return false;
        };
        self.see_to_it(state);
        let waited = nanoseconds(waiting.arrived.elapsed());
        self.recorder.record_failure(reason, waited);
        true
    }

    /// Waits for the next batch of an instance. Returns `None` when the queue is closed and empty.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe. Requests are removed from the queue only in the poll that
    /// returns them.
    pub(crate) async fn next_batch(&self, instance: u32) -> Option<Batch> {
        let notifier = self.notifiers.get(&instance)?;
        notifier.wait(|| self.look(instance)).await
    }

    fn look(&self, instance: u32) -> notifier::Found {
        let now = Instant::now();
        let mut state = self.lock();
        state.table.expire(now);
        let closed = state.closed;
        let found = match state.table.take(instance, &self.policy, closed, now) {
            Found::Batch(requests) => notifier::Found::Batch(batch(instance, requests)),
            // The instance ends when all accepted requests are completed.
            Found::Recheck(_) if closed && state.table.len() == 0 => notifier::Found::End,
            Found::Recheck(after) => notifier::Found::Recheck(after),
        };
        self.see_to_it(state);
        found
    }

    /// Refuses requests that start a sequence.
    pub(crate) fn refuse_new_sequences(&self) {
        self.lock().stopping = true;
    }

    /// Refuses further requests. Waiting ones are executed without delay.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.table.end_all(Instant::now());
        self.see_to_it(state);
        self.notifiers.values().for_each(Notifier::notify);
    }

    pub(crate) fn closed(&self) -> bool {
        self.lock().closed
    }

    /// Refuses waiting and new requests with an error. `None` accepts requests again.
    pub(crate) fn refuse(&self, error: Option<SchedulerError>) {
        let mut state = self.lock();
        state.refusing.clone_from(&error);
        let Some(error) = error else {
            return;
        };
        let refused = state.table.clear(Instant::now());
        self.see_to_it(state);
        for waiting in refused {
            self.fail(waiting, error.clone(), FailureReason::Backend);
        }
    }

    /// Lets an instance receive sequences.
    pub(crate) fn arrive(&self, instance: u32) {
        let mut state = self.lock();
        state.table.enter(instance, Instant::now());
        self.see_to_it(state);
    }

    /// Stops an instance from receiving sequences, and ends those that it has.
    pub(crate) fn retire(&self, instance: u32) {
        let mut state = self.lock();
        state.table.absent(instance);
        self.see_to_it(state);
    }

    pub(crate) fn pending(&self) -> u64 {
        self.lock().table.len() as u64
    }

    /// Expires sequences. Returns when to call this again.
    pub(crate) fn expire(&self) -> Option<Instant> {
        let mut state = self.lock();
        state.table.expire(Instant::now());
        let next = state.table.next_expiry();
        state.next_check = next;
        self.see_to_it(state);
        next
    }

    /// Waits until a deadline is earlier than the known ones.
    pub(crate) async fn earlier_deadline(&self) {
        self.earlier_deadline.notified().await;
    }

    /// Notifies instances and the reaper of changes, and sends errors to lost requests.
    pub(super) fn see_to_it(&self, mut state: MutexGuard<'_, State>) {
        let ready = state.table.ready();
        let lost = state.table.lost();
        let next = state.table.next_expiry();
        let earlier_deadline =
            next.is_some_and(|next| state.next_check.is_none_or(|then| next < then));
        if earlier_deadline {
            state.next_check = next;
        }
        let over = state.closed && state.table.len() == 0;
        drop(state);
        if earlier_deadline {
            self.earlier_deadline.notify_one();
        }
        for (waiting, why) in lost {
            let (error, reason) = self.error(&waiting, why);
            self.fail(waiting, error, reason);
        }
        // All instances end then.
        let called = self.notifiers.iter();
        let called = called.filter(|(instance, _)| over || ready.contains(instance));
        called.for_each(|(_, notifier)| notifier.notify());
    }

    fn error(&self, waiting: &Waiting, why: DropReason) -> (SchedulerError, FailureReason) {
        let sequence = waiting.request.sequence().map(Sequence::id);
        let sequence = sequence.cloned().unwrap_or_default();
        let model = Arc::clone(&self.spec.name);
        match why {
            DropReason::TimedOut => (SchedulerError::SequenceTimeout, FailureReason::Rejected),
            DropReason::Instance => (
                SchedulerError::SequenceLost { sequence, model },
                FailureReason::Backend,
            ),
            DropReason::EarlierCancelled => (
                SchedulerError::SequenceCancelled { sequence, model },
                FailureReason::Canceled,
            ),
        }
    }

    fn fail(&self, waiting: Waiting, error: SchedulerError, reason: FailureReason) {
        let waited = nanoseconds(waiting.arrived.elapsed());
        self.recorder.record_failure(reason, waited);
        waiting.sink.finish(Err(error));
    }

    /// Returns the locked state.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // No panic can leave the state inconsistent.
        self.state.lock()
    }
}

/// Creates a batch that is executed from now on.
fn batch(instance: u32, requests: Vec<(u32, Waiting)>) -> Batch {
    let (slots, waiting): (Vec<u32>, Vec<Waiting>) = requests.into_iter().unzip();
    let (requests, targets) = waiting.into_iter().map(Waiting::split).unzip();
    Batch {
        sequence: 0,
        origin: Origin::Slots { instance, slots },
        begun: None,
        requests,
        targets,
    }
}
