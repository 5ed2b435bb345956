use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::model::{Request, RequestId, TimeoutAction};
use crate::statistics::{FailureReason, Recorder};

use super::line::Line;
use super::message::{Batch, Outcome, Ticket, Waiting};
use super::{Decision, Policy, SchedulerError};

/// The requests of one model that wait, and the rule by which they leave.
#[derive(Debug)]
pub(super) struct Queue {
    policy: Policy,
    state: Mutex<State>,
    changed: Notify,
    recorder: Recorder,
}

#[derive(Debug)]
struct State {
    line: Line,
    next_ticket: u64,
    next_sequence: u64,
    closed: bool,
    /// Why no request is taken although the queue is not closed.
    refusing: Option<SchedulerError>,
}

/// What an instance finds in the queue.
enum Found {
    Batch(Batch),
    Look(Option<Duration>),
    End,
}

impl Queue {
    pub(super) fn new(policy: Policy) -> Self {
        let state = State {
            line: Line::new(policy.levels.len()),
            next_ticket: 0,
            next_sequence: 0,
            closed: false,
            refusing: None,
        };
        Self {
            policy,
            state: Mutex::new(state),
            changed: Notify::new(),
            recorder: Recorder::default(),
        }
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(super) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Puts a request at the end of its level and returns its ticket, when it is to be refused if it still waits, and
    /// where its outcome comes.
    pub(super) fn push(
        &self,
        request: Request,
    ) -> Result<(Ticket, Option<Instant>, oneshot::Receiver<Outcome>), SchedulerError> {
        let arrived = Instant::now();
        let level = self.policy.level(request.priority());
        let policy = &self.policy.levels[level];
        let timeout = policy.timeout(request.timeout_microseconds());
        let deadline = timeout.and_then(|timeout| arrived.checked_add(timeout));
        let (respond, outcome) = oneshot::channel();
        let mut state = self.lock();
        if state.closed {
            return Err(SchedulerError::Stopping);
        }
        if let Some(error) = state.refusing.clone() {
            drop(state);
            self.recorder.record_failure(FailureReason::Backend, 0);
            return Err(error);
        }
        if state.line.len_of(level) >= policy.max_queue_size {
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
        state.line.push(Waiting {
            ticket,
            request,
            arrived,
            deadline,
            respond,
        });
        drop(state);
        self.changed.notify_one();
        let refused = deadline.filter(|_| policy.timeout_action == TimeoutAction::Reject);
        Ok((ticket, refused, outcome))
    }

    /// Takes a request out again; `None` when a batch has it already.
    pub(super) fn withdraw(&self, ticket: Ticket, reason: FailureReason) -> Option<Waiting> {
        let waiting = self.lock().line.withdraw(ticket)?;
        let waited = nanoseconds(waiting.arrived.elapsed());
        self.recorder.record_failure(reason, waited);
        // The batch that an instance waits to fill has become another one.
        self.changed.notify_one();
        Some(waiting)
    }

    /// The next batch, when the policy lets it go; `None` when the queue is closed and empty.
    ///
    /// # Cancel safety
    ///
    /// No request is lost when the future is dropped: they are taken out in the poll that returns them.
    pub(super) async fn next_batch(&self) -> Option<Batch> {
        loop {
            // Registered before the look, so that a request that comes in between is not missed.
            let changed = self.changed.notified();
            let look_again = match self.look() {
                Found::Batch(batch) => return Some(batch),
                Found::End => return None,
                Found::Look(after) => after,
            };
            match look_again {
                Some(after) => {
                    let _ = tokio::time::timeout(after, changed).await;
                }
                None => changed.await,
            }
        }
    }

    /// Refuses all further requests; those that wait go without further delay.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_waiters();
    }

    /// Whether further requests are refused.
    pub(super) fn closed(&self) -> bool {
        self.lock().closed
    }

    /// Answers requests with an error, those that wait and those that come; `None` takes them again.
    pub(super) fn refuse(&self, error: Option<SchedulerError>) {
        let mut state = self.lock();
        state.refusing.clone_from(&error);
        let Some(error) = error else {
            return;
        };
        let refused = state.line.take(usize::MAX);
        drop(state);
        for waiting in refused {
            let waited = nanoseconds(waiting.arrived.elapsed());
            let reason = FailureReason::Backend;
            self.recorder.record_failure(reason, waited);
            // The client may have gone away meanwhile.
            let _ = waiting.respond.send(Err(error.clone().into()));
        }
    }

    pub(super) fn pending(&self) -> u64 {
        self.lock().line.len() as u64
    }

    fn look(&self) -> Found {
        let now = Instant::now();
        let mut state = self.lock();
        for (level, policy) in self.policy.levels.iter().enumerate() {
            if policy.timeout_action == TimeoutAction::Delay {
                state.line.delay_late(level, now);
            }
        }
        let State {
            line,
            next_sequence,
            closed,
            ..
        } = &mut *state;
        let closed = *closed;
        let together = together(line, self.policy.max_batch_size);
        let Some(oldest) = line
            .iter()
            .take(together.len())
            .map(|waiting| waiting.arrived)
            .min()
        else {
            return if closed {
                Found::End
            } else {
                Found::Look(None)
            };
        };
        let blocked = closed || together.len() < line.len();
        let waited = now.saturating_duration_since(oldest);
        let count = match self.policy.decide(&together, blocked, waited) {
            Decision::Take(count) => count,
            Decision::Wait(left) => return Found::Look(Some(left)),
        };
        let batch = Batch {
            sequence: *next_sequence,
            waiting: line.take(count),
        };
        *next_sequence += 1;
        let more = line.len() > 0;
        drop(state);
        if more {
            // Another instance may be free for what is left.
            self.changed.notify_one();
        }
        Found::Batch(batch)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock panics half-way: a poisoned lock still holds a whole queue.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rows of the requests at the head of a line that can be stacked, up to one more than a batch can hold.
fn together(line: &Line, max_batch_size: usize) -> Vec<usize> {
    let mut rows = Vec::new();
    let mut total = 0_usize;
    let Some(first) = line.iter().next() else {
        return rows;
    };
    for waiting in line.iter() {
        if total >= max_batch_size || !first.request.stacks_with(&waiting.request) {
            break;
        }
        total = total.saturating_add(waiting.request.batch_size());
        rows.push(waiting.request.batch_size());
    }
    rows
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
