use std::collections::BTreeMap;
use std::iter;
use std::time::Duration;

use tokio::time::Instant;

use super::slot::{Queued, Slot};
use super::strategy::{Strategy, delay};
use crate::{BatchSize, Candidate, Decision, Policy};

/// The slots of an instance.
#[derive(Debug)]
pub(super) struct Instance<R> {
    /// Whether the instance accepts requests.
    pub(super) present: bool,
    /// The number of batches that it executes.
    pub(super) running: usize,
    pub(super) slots: Vec<Slot<R>>,
    /// With the oldest strategy: the slots whose next request may be executed, and since when.
    pub(super) issued: BTreeMap<u64, (u32, Instant)>,
}

/// The slots that contribute a request to the next batch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// These.
    Slots(Vec<u32>),
    /// Look again after this time.
    Wait(Duration),
    /// No slot has a request.
    Nothing,
}

/// With the direct strategy: the next request of a slot.
struct Head<'a, R> {
    slot: u32,
    turn: u64,
    request: &'a R,
}

impl<R: Queued> Instance<R> {
    /// Returns a slot, which is created if it does not exist.
    pub(super) fn slot(&mut self, slot: u32) -> &mut Slot<R> {
        let index = slot as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, Slot::default);
        }
        &mut self.slots[index]
    }

    /// Selects the next batch. With `closed`, no request waits for others.
    pub(super) fn pick(
        &self,
        strategy: Strategy,
        policy: &Policy,
        closed: bool,
        now: Instant,
    ) -> Pick {
        match strategy {
            _ if !self.present => Pick::Nothing,
            // Each row of a batch is a slot. A slot runs one request of a sequence at a time.
            Strategy::Direct { .. } if self.running > 0 => Pick::Nothing,
            Strategy::Direct { .. } if policy.preferred_batch_sizes.is_empty() => self.first(),
            Strategy::Direct {
                delay,
                utilization,
                rows,
            } => self.all((delay, utilization, rows), closed, now),
            Strategy::Oldest => self.oldest(policy, closed, now),
        }
    }

    /// Selects the slot whose head has waited longest, so that a client gains nothing by sending
    /// ahead.
    fn first(&self) -> Pick {
        let first = self.heads().min_by_key(|head| head.turn);
        first.map_or(Pick::Nothing, |head| Pick::Slots(vec![head.slot]))
    }

    /// Selects all slots whose requests go together with that one.
    fn all(&self, rule: (Duration, f32, u32), closed: bool, now: Instant) -> Pick {
        let heads: Vec<Head<'_, R>> = self.heads().collect();
        let oldest = heads.iter().map(|head| head.request.arrived()).min();
        let first = heads.iter().min_by_key(|head| head.turn);
        let (Some(oldest), Some(first)) = (oldest, first) else {
            return Pick::Nothing;
        };
        let ready = u32::try_from(heads.len()).unwrap_or(u32::MAX);
        let waited = now.saturating_duration_since(oldest);
        if let Some(left) = delay(rule, ready, waited).filter(|_| !closed) {
            return Pick::Wait(left);
        }
        let together = heads.iter();
        let together = together.filter(|other| first.request.can_batch_with(other.request));
        Pick::Slots(together.map(|head| head.slot).collect())
    }

    /// Selects as many as the dynamic batcher takes.
    fn oldest(&self, policy: &Policy, closed: bool, now: Instant) -> Pick {
        let mut issued = self.issued.values().filter_map(|(slot, since)| {
            let (_, entry) = self.slots.get(*slot as usize)?.issued.as_ref()?;
            Some((*slot, *since, &entry.request))
        });
        let Some((slot, since, first)) = issued.next() else {
            return Pick::Nothing;
        };
        let candidate = |since, joins| Candidate {
            size: BatchSize { rows: 1, cost: 0 },
            since,
            joins,
        };
        let others = issued.clone();
        let others = others.map(|(_, since, other)| candidate(since, first.can_batch_with(other)));
        let candidates = iter::once(candidate(since, true)).chain(others);
        match policy.decide(BatchSize::default(), candidates, closed, now) {
            Decision::Wait(left) => Pick::Wait(left),
            Decision::Take { requests, .. } => {
                let taken = iter::once(slot).chain(issued.map(|(slot, ..)| slot));
                Pick::Slots(taken.take(requests).collect())
            }
        }
    }

    /// Returns the executable heads in the order of their slots.
    fn heads(&self) -> impl Iterator<Item = Head<'_, R>> {
        let slots = (0..).zip(&self.slots);
        slots.filter_map(|(number, slot)| {
            Some(Head {
                slot: number,
                turn: slot.turn?,
                request: &slot.head()?.request,
            })
        })
    }
}

impl<R> Default for Instance<R> {
    fn default() -> Self {
        Self {
            present: false,
            running: 0,
            slots: Vec::new(),
            issued: BTreeMap::new(),
        }
    }
}
