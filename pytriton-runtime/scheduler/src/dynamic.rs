use std::convert::Infallible;

use parking_lot::{Mutex, MutexGuard};
use pytriton_core::model::TimeoutAction;
use pytriton_core::request::{Request, RequestId, SmallVec};
use pytriton_core::response_channel::{SchedulerError, response_channel};
use pytriton_core::statistics::{FailureReason, Recorder, nanoseconds};
use tokio::time::Instant;

use super::message::{Batch, Enqueued, Origin, Pushed, ResponseTarget, Ticket, Waiting};
use super::notifier::{Found, Notifier};
use super::ordered_responses::OrderedResponses;
use super::prefetch::Prefetched;
use super::priority_queue::PriorityQueue;
use super::start_delay::held_until;
use super::{BatchSize, Candidate, Decision, Policy};

/// The waiting requests of one model, and the policy that batches them.
#[derive(Debug)]
pub(super) struct DynamicQueue {
    pub(super) policy: Policy,
    /// The maximum number of concurrent batches.
    pub(super) places: usize,
    state: Mutex<State>,
    changed: Notifier,
    recorder: Recorder,
    ordered: Option<OrderedResponses>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) line: PriorityQueue,
    /// The batches that are already formed from them.
    pub(super) formed: Prefetched,
    next_ticket: u64,
    next_sequence: u64,
    /// The number of batches that are being executed.
    pub(super) running: usize,
    /// How many of these are executed on connection threads.
    pub(super) inline: usize,
    pub(super) closed: bool,
    /// The number of requests that must wait before any is taken.
    pub(super) held_until: usize,
    /// Why requests are refused although the queue is open.
    refusing: Option<SchedulerError>,
}

impl DynamicQueue {
    /// Creates a queue with at most `places` concurrent batches.
    pub(super) fn new(policy: Policy, places: usize) -> Self {
        let state = State {
            line: PriorityQueue::default(),
            formed: Prefetched::default(),
            next_ticket: 0,
            next_sequence: 0,
            running: 0,
            inline: 0,
            closed: false,
            held_until: held_until(),
            refusing: None,
        };
        Self {
            ordered: policy
                .preserve_ordering
                .then(|| OrderedResponses::new(&policy)),
            policy,
            places,
            state: Mutex::new(state),
            changed: Notifier::default(),
            recorder: Recorder::default(),
        }
    }

    /// Returns the buffer of responses that must keep the order of requests, if the model requires
    /// it.
    pub(super) fn ordered(&self) -> Option<&OrderedResponses> {
        self.ordered.as_ref()
    }

    pub(super) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Adds a request at the end of its priority level.
    pub(super) fn push(&self, request: Request) -> Result<Enqueued, SchedulerError> {
        match self.push_or_take(request, || None::<Infallible>)? {
            Pushed::Waiting(enqueued) => Ok(enqueued),
            Pushed::Taken { permit, .. } => match permit {},
        }
    }

    /// Like [`push`](Self::push). If no request waits and the policy does not delay this one,
    /// `acquire` may return a permit to execute it at once.
    ///
    /// Permits are acquired under the lock and only for a batch that leaves. An attempt therefore
    /// fails only while another thread holds the permit and a batch. That thread checks for waiting
    /// requests when it releases the batch.
    pub(super) fn push_or_take<P>(
        &self,
        request: Request,
        acquire: impl FnOnce() -> Option<P>,
    ) -> Result<Pushed<P>, SchedulerError> {
        let arrived = Instant::now();
        let level = self.policy.level(request.priority());
        let policy = self.policy.limits_of(level);
        let timeout = policy.timeout(request.timeout());
        let deadline = timeout.and_then(|timeout| arrived.checked_add(timeout));
        let (sink, receiver) = response_channel();
        let mut state = self.lock();
        if state.closed {
            return Err(SchedulerError::Stopping);
        }
        if let Some(error) = state.refusing.clone() {
            drop(state);
            self.recorder.record_failure(FailureReason::Backend, 0);
            return Err(error);
        }
        let held_back = self.ordered.as_ref().is_some_and(OrderedResponses::is_full);
        if held_back || state.line.is_full(level, policy.max_queue_size) {
            drop(state);
            self.recorder.record_failure(FailureReason::Rejected, 0);
            return Err(SchedulerError::QueueFull {
                request: RequestId(request.id().to_owned()),
            });
        }
        let ticket = Ticket {
            level,
            number: state.next_ticket,
        };
        state.next_ticket += 1;
        let refused = deadline.filter(|_| policy.timeout_action == TimeoutAction::Reject);
        let size = BatchSize::of(&request);
        let free = state.running < self.places;
        let goes = |state: &State| {
            let alone = Candidate {
                size,
                since: arrived,
                joins: true,
            };
            let decision = || {
                self.policy
                    .decide(BatchSize::default(), [alone], false, arrived)
            };
            free && state.held_until == 0
                && state.line.len() == 0
                && matches!(decision(), Decision::Take { .. })
        };
        if goes(&state)
            && let Some(permit) = acquire()
        {
            let target = ResponseTarget::new(arrived, size.rows, sink);
            let batch = Batch {
                begun: Some(arrived),
                ..state.batch(SmallVec::one(request), SmallVec::one(target), true)
            };
            return Ok(Pushed::Taken {
                permit,
                batch,
                receiver,
            });
        }
        // Requests that were due before this one arrived do not wait for it.
        self.form_ahead(&mut state, arrived);
        state.line.push(Waiting {
            ticket,
            request,
            arrived,
            deadline,
            sink,
        });
        self.form_ahead(&mut state, arrived);
        drop(state);
        if free {
            self.changed.notify();
        }
        Ok(Pushed::Waiting(Enqueued {
            ticket,
            refused,
            receiver,
        }))
    }

    /// Records that a batch has been executed. Returns whether other requests wait.
    pub(super) fn release(&self, inline: bool) -> bool {
        let mut state = self.lock();
        state.running = state.running.saturating_sub(1);
        state.inline = state.inline.saturating_sub(usize::from(inline));
        if state.closed {
            // All waiting instances may be able to end now.
            self.changed.notify_all();
        }
        state.line.len() > 0
    }

    /// Notifies an instance to look for a batch.
    pub(super) fn wake(&self) {
        self.changed.notify();
    }

    /// Returns the next batch for a connection thread, if it leaves now, has at most `max_bytes`,
    /// and `acquire` returns a permit.
    pub(super) fn try_next_batch<P>(
        &self,
        max_bytes: usize,
        acquire: impl Fn() -> Option<P>,
    ) -> Option<(P, Batch)> {
        match self.look(Some(max_bytes), acquire) {
            Found::Batch(found) => Some(found),
            Found::Recheck(_) | Found::End => None,
        }
    }

    /// Removes a request unless a batch has it. Returns whether it was removed.
    pub(super) fn withdraw(&self, ticket: Ticket, reason: FailureReason) -> bool {
        let mut state = self.lock();
        let Some((place, waiting)) = state.line.withdraw(ticket) else {
            return false;
        };
        state
            .formed
            .withdraw(place, BatchSize::of(&waiting.request));
        drop(state);
        let waited = nanoseconds(waiting.arrived.elapsed());
        self.recorder.record_failure(reason, waited);
        // The batch that an instance waits for has changed.
        self.changed.notify();
        true
    }

    /// Waits for the next batch. Returns `None` when the queue is closed and empty.
    ///
    /// # Cancel safety
    ///
    /// As [`next_permitted`](Self::next_permitted).
    pub(super) async fn next_batch(&self) -> Option<Batch> {
        let ((), batch) = self.next_permitted(|| Some(())).await?;
        Some(batch)
    }

    /// Waits for the next batch and a permit from `acquire` to execute it. Returns `None` when the
    /// queue is closed and empty.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe. Requests are removed from the queue only in the poll that
    /// returns them.
    pub(super) async fn next_permitted<P>(
        &self,
        acquire: impl Fn() -> Option<P>,
    ) -> Option<(P, Batch)> {
        self.changed.wait(|| self.look(None, &acquire)).await
    }

    /// Refuses further requests. Waiting ones are executed without delay.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Returns whether further requests are refused.
    pub(super) fn closed(&self) -> bool {
        self.lock().closed
    }

    /// Refuses waiting and new requests with an error. `None` accepts requests again.
    pub(super) fn refuse(&self, error: Option<SchedulerError>) {
        let mut state = self.lock();
        state.refusing.clone_from(&error);
        let Some(error) = error else {
            return;
        };
        let refused: Vec<_> = state.line.take(usize::MAX).collect();
        state.formed = Prefetched::default();
        drop(state);
        self.refuse_all(refused, FailureReason::Backend, &error);
    }

    pub(super) fn pending(&self) -> u64 {
        self.lock().line.len() as u64
    }

    /// `max_bytes` is the limit of a connection thread.
    fn look<P>(
        &self,
        max_bytes: Option<usize>,
        acquire: impl Fn() -> Option<P>,
    ) -> Found<(P, Batch)> {
        let now = Instant::now();
        let mut state = self.lock();
        let action = |level| self.policy.limits_of(level).timeout_action;
        let refused = state.line.take_timed_out(now, action);
        let found = self.found(&mut state, max_bytes, acquire, now);
        let batch = matches!(found, Found::Batch(_));
        let more = batch && state.line.len() > 0 && state.running < self.places;
        drop(state);
        self.refuse_all(refused, FailureReason::Rejected, &SchedulerError::Timeout);
        if more {
            // Another instance may execute the remaining requests.
            self.changed.notify();
        }
        found
    }

    fn refuse_all(
        &self,
        refused: impl IntoIterator<Item = Waiting>,
        reason: FailureReason,
        error: &SchedulerError,
    ) {
        for (index, waiting) in refused.into_iter().enumerate() {
            error.status().assert_belongs_to(index + 1);
            let waited = nanoseconds(waiting.arrived.elapsed());
            self.recorder.record_failure(reason, waited);
            waiting.sink.finish(Err(error.clone()));
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // No panic can leave the state inconsistent.
        self.state.lock()
    }
}

impl State {
    /// Creates a batch that is executed from now on.
    pub(super) fn batch(
        &mut self,
        requests: SmallVec<Request>,
        targets: SmallVec<ResponseTarget>,
        inline: bool,
    ) -> Batch {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        self.running += 1;
        self.inline += usize::from(inline);
        Batch {
            sequence,
            origin: Origin::PriorityQueue { inline },
            begun: None,
            requests,
            targets,
        }
    }
}
