//! Forms batches from the waiting requests of a dynamic queue.

use std::time::Duration;

use tokio::time::Instant;

use super::dynamic::{DynamicQueue, State};
use super::message::{Batch, Waiting};
use super::notifier::Found;
use super::prefetch::Formed;
use super::{BatchSize, Candidate, Decision};

/// The result of one attempt to form a batch.
enum Step {
    /// Requests have joined a batch.
    Formed,
    /// The requests wait this long for others.
    Wait(Duration),
    /// There are no requests, or no further batch may be formed.
    Nothing,
}

impl DynamicQueue {
    /// Returns the next batch if the policy permits one, a concurrent batch is allowed, and
    /// `acquire` returns the permit to execute it. `max_bytes` is the limit of a connection thread.
    pub(super) fn found<P>(
        &self,
        state: &mut State,
        max_bytes: Option<usize>,
        acquire: impl Fn() -> Option<P>,
        now: Instant,
    ) -> Found<(P, Batch)> {
        if state.line.len() == 0 {
            // The instance ends when all accepted requests are completed.
            return match state.closed && state.inline == 0 {
                true => Found::End,
                false => Found::Recheck(None),
            };
        }
        if state.running >= self.places || state.is_held() {
            return Found::Recheck(None);
        }
        loop {
            let line = &state.line;
            let permit = match state.formed.len() {
                0 => None,
                _ => {
                    let formed = line.iter().take(state.formed.requests());
                    let bytes = || formed.map(|waiting| waiting.request.bytes()).sum::<usize>();
                    if max_bytes.is_some_and(|max_bytes| bytes() > max_bytes) {
                        return Found::Recheck(None);
                    }
                    let permit = acquire();
                    if permit.is_none() {
                        return Found::Recheck(None);
                    }
                    permit
                }
            };
            let first = line.iter().next();
            let stacks = |index| match (first, line.iter().nth(index)) {
                (Some(first), Some(other)) => first.can_batch_with(other),
                _ => false,
            };
            if let Some(permit) = permit
                && let Some(count) = state.formed.take(&self.policy, now, stacks)
            {
                let parts = state.line.take(count).map(Waiting::split);
                let (requests, targets) = parts.unzip();
                // This leaves space for another formed batch.
                self.form_ahead(state, now);
                let batch = state.batch(requests, targets, max_bytes.is_some());
                return Found::Batch((permit, batch));
            }
            match self.form(state, now) {
                Step::Formed => {}
                Step::Wait(left) => return Found::Recheck(Some(left)),
                Step::Nothing => return Found::Recheck(None),
            }
        }
    }

    /// Forms batches ahead of time, while no instance is idle.
    pub(super) fn form_ahead(&self, state: &mut State, now: Instant) {
        if self.policy.prefetched == 0 || state.is_held() {
            return;
        }
        while state.formed.len() < self.policy.prefetched
            && matches!(self.form(state, now), Step::Formed)
        {}
    }

    /// Lets waiting requests join a batch, as the policy decides.
    fn form(&self, state: &mut State, now: Instant) -> Step {
        let formed = state.formed.requests();
        let open = state.formed.open().copied();
        let first = formed - open.map_or(0, |batch| batch.requests);
        let mut all = state.line.iter().skip(first);
        let Some(first) = all.clone().next() else {
            return Step::Nothing;
        };
        if let Some(batch) = open {
            all.nth(batch.requests.saturating_sub(1));
        }
        let pending = all;
        let candidates = pending.clone().map(|waiting| Candidate {
            size: BatchSize::of(&waiting.request),
            since: waiting.arrived,
            joins: first.can_batch_with(waiting),
        });
        if pending.clone().next().is_none() {
            return Step::Nothing;
        }
        let size = open.map_or(BatchSize::default(), |batch| batch.size);
        match self.policy.decide(size, candidates, state.closed, now) {
            Decision::Wait(left) => {
                // At its deadline a request may be delayed or refused, which changes the batch.
                let deadlines = pending.filter_map(|waiting| waiting.deadline);
                let next = deadlines.filter(|deadline| *deadline > now).min();
                let next = next.map(|deadline| deadline.saturating_duration_since(now));
                Step::Wait(next.map_or(left, |next| next.min(left)))
            }
            Decision::Take {
                requests,
                full,
                differs,
            } => {
                let taken = pending.take(requests);
                let sizes = taken.clone().map(|waiting| BatchSize::of(&waiting.request));
                let since = taken.map(|waiting| waiting.arrived).min();
                let added = Formed {
                    requests,
                    size: sizes.fold(BatchSize::default(), BatchSize::saturating_add),
                    since: since.unwrap_or(now),
                    full,
                    differs,
                };
                state.formed.add(added);
                Step::Formed
            }
        }
    }
}

#[cfg(test)]
impl DynamicQueue {
    /// Delays the first batch until this number of requests waits.
    pub(super) fn hold_until(&mut self, requests: usize) {
        self.lock().held_until = requests;
    }
}

impl State {
    /// Returns whether the queue still waits for a number of requests.
    fn is_held(&mut self) -> bool {
        if self.closed || self.line.len() >= self.held_until {
            self.held_until = 0;
        }
        self.held_until > 0
    }
}
