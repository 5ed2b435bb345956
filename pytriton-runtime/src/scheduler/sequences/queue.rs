use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::model::{ModelSpec, SequenceBatching};
use crate::request::Sequence;
use crate::scheduler::bell::{self, Bell};
use crate::scheduler::message::{Batch, Origin, Ticket, Waiting};
use crate::scheduler::{Policy, SchedulerError};
use crate::statistics::{FailureReason, Recorder, nanoseconds};

use super::restarts::Restarts;
use super::table::{Found, Lost, Table};

/// The requests of a model's sequences that wait, and the rule by which they leave.
#[derive(Debug)]
pub(in crate::scheduler) struct SequenceQueue {
    pub(super) spec: Arc<ModelSpec>,
    pub(super) policy: Policy,
    pub(super) state: Mutex<State>,
    /// The instances, each of which looks for its own sequences alone.
    pub(super) bells: BTreeMap<u32, Bell>,
    /// Says that something expires sooner than was known.
    pub(super) sooner: Notify,
    pub(super) recorder: Recorder,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) table: Box<Table<Waiting>>,
    pub(super) next_ticket: u64,
    pub(super) restarts: Restarts,
    /// Whether no sequence starts any longer.
    pub(super) stopping: bool,
    pub(super) closed: bool,
    /// Why no request is taken although the queue is not closed, and no instance is there.
    pub(super) refusing: Option<SchedulerError>,
    /// When somebody sees to what expires.
    pub(super) seen_to: Option<Instant>,
}

impl SequenceQueue {
    pub(in crate::scheduler) fn new(
        spec: &Arc<ModelSpec>,
        batching: &SequenceBatching,
        policy: Policy,
    ) -> Self {
        let instances = 0..spec.instances.count();
        Self {
            spec: Arc::clone(spec),
            policy,
            state: Mutex::new(State {
                table: Box::new(Table::new(spec, batching)),
                next_ticket: 0,
                restarts: Restarts::default(),
                stopping: false,
                closed: false,
                refusing: None,
                seen_to: None,
            }),
            bells: instances
                .map(|instance| (instance, Bell::default()))
                .collect(),
            sooner: Notify::new(),
            recorder: Recorder::default(),
        }
    }

    pub(in crate::scheduler) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Notes that a batch is executed.
    pub(in crate::scheduler) fn release(&self, origin: &Origin) {
        let Origin::Slots { instance, slots } = origin else {
            return;
        };
        let mut state = self.lock();
        state.table.executed(*instance, slots, Instant::now());
        self.see_to_it(state);
    }

    /// Takes a request out again, if no batch has it; says whether that was so. The sequence ends where it stood.
    pub(in crate::scheduler) fn withdraw(&self, ticket: Ticket, reason: FailureReason) -> bool {
        let mut state = self.lock();
        let Some(waiting) = state.table.take_back(ticket.number, Instant::now()) else {
            return false;
        };
        self.see_to_it(state);
        let waited = nanoseconds(waiting.arrived.elapsed());
        self.recorder.record_failure(reason, waited);
        true
    }

    /// The next batch of an instance; `None` when the queue is closed and empty.
    ///
    /// # Cancel safety
    ///
    /// No request is lost when the future is dropped: they are taken out in the poll that returns them.
    pub(in crate::scheduler) async fn next_batch(&self, instance: u32) -> Option<Batch> {
        let bell = self.bells.get(&instance)?;
        bell.wait(|| self.look(instance)).await
    }

    fn look(&self, instance: u32) -> bell::Found {
        let now = Instant::now();
        let mut state = self.lock();
        state.table.expire(now);
        let closed = state.closed;
        let found = match state.table.take(instance, &self.policy, closed, now) {
            Found::Batch(requests) => bell::Found::Batch(batch(instance, requests)),
            // The end of an instance is the end of all that was accepted.
            Found::Look(_) if closed && state.table.len() == 0 => bell::Found::End,
            Found::Look(after) => bell::Found::Look(after),
        };
        self.see_to_it(state);
        found
    }

    /// Refuses all requests that start a sequence.
    pub(in crate::scheduler) fn start_no_more(&self) {
        self.lock().stopping = true;
    }

    /// Refuses all further requests; those that wait go without further delay.
    pub(in crate::scheduler) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.table.end_all(Instant::now());
        self.see_to_it(state);
        self.bells.values().for_each(Bell::ring);
    }

    pub(in crate::scheduler) fn closed(&self) -> bool {
        self.lock().closed
    }

    /// Answers requests with an error, those that wait and those that come; `None` takes them again.
    pub(in crate::scheduler) fn refuse(&self, error: Option<SchedulerError>) {
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

    /// Gives an instance sequences from here on.
    pub(in crate::scheduler) fn arrive(&self, instance: u32) {
        let mut state = self.lock();
        state.table.enter(instance, Instant::now());
        self.see_to_it(state);
    }

    /// Gives an instance no sequences, and ends those that it has.
    pub(in crate::scheduler) fn depart(&self, instance: u32) {
        let mut state = self.lock();
        state.table.absent(instance);
        self.see_to_it(state);
    }

    pub(in crate::scheduler) fn pending(&self) -> u64 {
        self.lock().table.len() as u64
    }

    /// Sees to what expires, and returns when it is to be done again.
    pub(super) fn tend(&self) -> Option<Instant> {
        let mut state = self.lock();
        state.table.expire(Instant::now());
        let next = state.table.next_expiry();
        state.seen_to = next;
        self.see_to_it(state);
        next
    }

    /// Waits until something expires sooner than was known.
    pub(super) async fn sooner(&self) {
        self.sooner.notified().await;
    }

    /// Tells whoever has to know of a change.
    pub(super) fn see_to_it(&self, mut state: MutexGuard<'_, State>) {
        let ready = state.table.ready();
        let lost = state.table.lost();
        let next = state.table.next_expiry();
        let sooner = next.is_some_and(|next| state.seen_to.is_none_or(|then| next < then));
        if sooner {
            state.seen_to = next;
        }
        let over = state.closed && state.table.len() == 0;
        drop(state);
        if sooner {
            self.sooner.notify_one();
        }
        for (waiting, why) in lost {
            let (error, reason) = self.error(&waiting, why);
            self.fail(waiting, error, reason);
        }
        // All of them end then.
        let called = self.bells.iter();
        let called = called.filter(|(instance, _)| over || ready.contains(instance));
        called.for_each(|(_, bell)| bell.ring());
    }

    fn error(&self, waiting: &Waiting, why: Lost) -> (SchedulerError, FailureReason) {
        let sequence = waiting.request.sequence().map(Sequence::id);
        let sequence = sequence.cloned().unwrap_or_default();
        let model = Arc::clone(&self.spec.name);
        match why {
            Lost::Late => (SchedulerError::SequenceTimeout, FailureReason::Rejected),
            Lost::Instance => (
                SchedulerError::SequenceLost { sequence, model },
                FailureReason::Backend,
            ),
            Lost::TakenBack => (
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

    /// All that the queue holds.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock panics half-way: a poisoned lock still holds a whole queue.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a batch, which is being executed from here on.
fn batch(instance: u32, requests: Vec<(u32, Waiting)>) -> Batch {
    let (slots, waiting): (Vec<u32>, Vec<Waiting>) = requests.into_iter().unzip();
    let (requests, replies) = waiting.into_iter().map(Waiting::part).unzip();
    Batch {
        sequence: 0,
        origin: Origin::Slots { instance, slots },
        begun: None,
        requests,
        replies,
    }
}
