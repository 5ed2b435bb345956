//! Admission of requests to a queue of sequences.

use std::sync::Arc;

use pytriton_core::request::{Request, RequestId, Sequence};
use pytriton_core::response_channel::{SchedulerError, response_channel};
use pytriton_core::statistics::FailureReason;
use tokio::time::Instant;

use crate::message::{Enqueued, Ticket, Waiting};

use super::queue::{SequenceQueue, State};
use super::table::NotStarted;

impl SequenceQueue {
    /// Adds a request to its sequence.
    ///
    /// Source: `SequenceBatchScheduler::Enqueue` in Triton 2.51, for the order of checks.
    pub(crate) fn push(&self, request: Request) -> Result<Enqueued, SchedulerError> {
        let sequence = self.sequence(&request)?;
        let arrived = Instant::now();
        let mut state = self.lock();
        // Expired sequences are unknown to a new request.
        state.table.expire(arrived);
        if let Err(error) = self.admit(&mut state, &sequence, &request) {
            self.see_to_it(state);
            self.note(&error);
            return Err(error);
        }
        let (enqueued, anew) = enter(&mut state, &sequence, request, arrived);
        let restarts = match anew {
            true => state.restarts.note(arrived),
            false => None,
        };
        self.see_to_it(state);
        if let Some(sequences) = restarts {
            let (sequence, model) = (sequence.id(), &*self.spec.name);
            tracing::warn!(
                %sequence,
                model,
                sequences,
                "the sequence was restarted before it had ended; its previous state is discarded"
            );
        }
        Ok(enqueued)
    }

    fn sequence(&self, request: &Request) -> Result<Sequence, SchedulerError> {
        let model = || Arc::clone(&self.spec.name);
        if request.batch_size() > 1 {
            return Err(SchedulerError::SequenceRows { model: model() });
        }
        let sequence = request.sequence().cloned();
        sequence.ok_or_else(|| SchedulerError::NoSequence { model: model() })
    }

    fn admit(
        &self,
        state: &mut State,
        sequence: &Sequence,
        request: &Request,
    ) -> Result<(), SchedulerError> {
        if state.closed || (state.stopping && sequence.starts()) {
            return Err(SchedulerError::Stopping);
        }
        if let Some(error) = &state.refusing {
            return Err(error.clone());
        }
        let known = state.table.check(sequence);
        known.map_err(|NotStarted| SchedulerError::SequenceNotStarted {
            sequence: sequence.id().clone(),
            model: Arc::clone(&self.spec.name),
        })?;
        // Sequences have only one level, which requests cannot select.
        if state.table.len() >= self.policy.limits.max_queue_size {
            let request = RequestId(request.id().to_owned());
            return Err(SchedulerError::QueueFull { request });
        }
        Ok(())
    }

    /// Counts a refused request in the statistics if Triton does.
    fn note(&self, error: &SchedulerError) {
        let reason = match error {
            SchedulerError::QueueFull { .. } => FailureReason::Rejected,
            SchedulerError::Hanging { .. } | SchedulerError::NoInstance { .. } => {
                FailureReason::Backend
            }
            _ => return,
        };
        self.recorder.record_failure(reason, 0);
    }
}

/// Queues a request. Returns whether it restarts a sequence that had not ended.
fn enter(
    state: &mut State,
    sequence: &Sequence,
    request: Request,
    arrived: Instant,
) -> (Enqueued, bool) {
    let ticket = Ticket {
        level: 0,
        number: state.next_ticket,
    };
    state.next_ticket += 1;
    let timeout = request.timeout();
    let deadline = timeout.and_then(|timeout| arrived.checked_add(timeout));
    let (sink, receiver) = response_channel();
    let waiting = Waiting {
        ticket,
        request,
        arrived,
        deadline,
        sink,
    };
    let anew = state.table.push(sequence, waiting, deadline, arrived);
    let enqueued = Enqueued {
        ticket,
        refused: None,
        receiver,
    };
    (enqueued, anew)
}
