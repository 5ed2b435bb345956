use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::time::Duration;

use pytriton_core::model::{Batcher, ModelSpec};
use pytriton_core::request::Sequence;
use tokio::time::Instant;

use crate::Policy;

use super::active_sequences::{ActiveSequences, Place};
use super::backlog::Backlog;
use super::instance::{Instance, Pick};
use super::slot::{Entry, Item, Queued, SlotId};
use super::start_threshold::StartThreshold;
use super::strategy::Strategy;

/// The sequences of a model and their waiting requests.
#[derive(Debug)]
pub(super) struct Table<R> {
    pub(super) strategy: Strategy,
    pub(super) slots: u32,
    pub(super) active: ActiveSequences,
    pub(super) backlog: Backlog<R>,
    pub(super) instances: BTreeMap<u32, Instance<R>>,
    /// The free slots, in the order in which they are assigned.
    pub(super) free: BTreeSet<SlotId>,
    /// The number of slots of each instance that have been opened. All others are free.
    pub(super) opened: u32,
    pub(super) next_issue: u64,
    /// Where each request waits.
    pub(super) places: BTreeMap<u64, Place>,
    pub(super) lost: Vec<(R, DropReason)>,
    pub(super) ready: BTreeSet<u32>,
    pub(super) start_threshold: StartThreshold,
}

/// Why a request will not be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DropReason {
    /// An earlier request of its sequence was cancelled.
    EarlierCancelled,
    /// It waited in the backlog for longer than a request of its sequence may.
    TimedOut,
    /// The instance of its sequence is no longer available.
    Instance,
}

/// A request without START belongs to an unknown sequence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotStarted;

/// The result of looking for a batch.
#[derive(Debug)]
pub(super) enum Found<R> {
    /// Requests, each with the index of its slot.
    Batch(Vec<(u32, R)>),
    /// Look again after this time, if nothing happens earlier.
    Recheck(Option<Duration>),
}

impl<R: Queued> Table<R> {
    pub(super) fn new(spec: &ModelSpec, batcher: &Batcher) -> Self {
        let idle = Duration::from_micros(batcher.options.max_sequence_idle_microseconds);
        Self {
            strategy: Strategy::new(spec, batcher),
            slots: batcher.slots(spec.max_batch_size),
            active: ActiveSequences::new(idle),
            backlog: Backlog::new(),
            instances: BTreeMap::new(),
            free: BTreeSet::new(),
            opened: 0,
            next_issue: 0,
            places: BTreeMap::new(),
            lost: Vec::new(),
            ready: BTreeSet::new(),
            start_threshold: StartThreshold::from_environment(),
        }
    }

    /// Returns the number of waiting requests.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Checks whether a request of a sequence is allowed now.
    ///
    /// # Errors
    ///
    /// Returns [`NotStarted`] if the sequence is unknown and the request does not start it.
    pub(super) fn check(&self, sequence: &Sequence) -> Result<(), NotStarted> {
        let known = self.active.place(sequence.id()).is_some();
        (known || sequence.starts()).then_some(()).ok_or(NotStarted)
    }

    /// Adds a request to its sequence, or starts one. Returns whether it restarts a sequence that
    /// had not ended. The request waits for a slot until its `deadline`.
    ///
    /// Call this only for requests that [`check`](Self::check) allows.
    pub(super) fn push(
        &mut self,
        sequence: &Sequence,
        mut request: R,
        deadline: Option<Instant>,
        now: Instant,
    ) -> bool {
        let known = self.active.place(sequence.id());
        let place = known.unwrap_or_else(|| match self.free_slot() {
            Some(slot_id) => Place::Slot(slot_id),
            None => Place::Backlog(self.backlog.open()),
        });
        let generation = self.active.generation(sequence.id());
        request.belong(&generation);
        match sequence.ends() {
            true => self.active.end(sequence.id()),
            false => self.active.note(sequence.id(), (place, generation), now),
        }
        self.places.insert(request.number(), place);
        let item = Item::Request(Entry {
            id: sequence.id().clone(),
            ends: sequence.ends(),
            deadline,
            request,
        });
        match place {
            Place::Slot(slot_id) => {
                self.instance(slot_id)
                    .slot(slot_id.slot)
                    .queue
                    .push_back(item);
                self.settle(slot_id, now);
            }
            Place::Backlog(number) => {
                self.backlog.push(number, item);
                if sequence.ends() {
                    self.backlog.close(number);
                }
            }
        }
        self.recheck_start();
        known.is_some() && sequence.starts()
    }

    /// Takes the next batch of an instance, which is executed from now on.
    pub(super) fn take(
        &mut self,
        instance: u32,
        policy: &Policy,
        closed: bool,
        now: Instant,
    ) -> Found<R> {
        if self.awaits_start(closed) {
            return Found::Recheck(None);
        }
        let strategy = self.strategy;
        let Some(slots) = self.instances.get(&instance) else {
            return Found::Recheck(None);
        };
        let slots = match slots.pick(strategy, policy, closed, now) {
            Pick::Slots(slots) => slots,
            Pick::Wait(left) => return Found::Recheck(Some(left)),
            Pick::Nothing => return Found::Recheck(None),
        };
        let taken = slots.into_iter().filter_map(|slot| {
            let entry = self.leave(SlotId { slot, instance })?;
            self.places.remove(&entry.request.number());
            Some((slot, entry.request))
        });
        let batch: Vec<(u32, R)> = taken.collect();
        if let Some(slots) = self.instances.get_mut(&instance) {
            slots.running += 1;
        }
        Found::Batch(batch)
    }

    /// Takes the next request of a slot.
    fn leave(&mut self, slot_id: SlotId) -> Option<Entry<R>> {
        let instance = self.instance(slot_id);
        let slot = instance.slot(slot_id.slot);
        if let Some((order, entry)) = slot.issued.take() {
            slot.executing = true;
            instance.issued.remove(&order);
            return Some(entry);
        }
        let entry = slot.pop()?;
        slot.executing = true;
        if entry.ends {
            self.release(slot_id);
        }
        Some(entry)
    }

    /// Records that the requests of these slots have been executed.
    pub(super) fn executed(&mut self, instance: u32, slots: &[u32], now: Instant) {
        if let Some(slots) = self.instances.get_mut(&instance) {
            slots.running = slots.running.saturating_sub(1);
        }
        for &slot in slots {
            let slot_id = SlotId { slot, instance };
            self.instance(slot_id).slot(slot).executing = false;
            self.settle(slot_id, now);
        }
        if self.strategy != Strategy::Oldest {
            // The other slots wait for this too.
            for slot in 0..self.opened {
                self.settle(SlotId { slot, instance }, now);
            }
        }
        self.ready.insert(instance);
    }

    /// Returns the requests that will not be executed.
    pub(super) fn lost(&mut self) -> Vec<(R, DropReason)> {
        mem::take(&mut self.lost)
    }

    /// Returns the instances that may find a batch.
    pub(super) fn ready(&mut self) -> BTreeSet<u32> {
        mem::take(&mut self.ready)
    }

    /// Returns the instance of a slot.
    pub(super) fn instance(&mut self, slot_id: SlotId) -> &mut Instance<R> {
        self.instances.entry(slot_id.instance).or_default()
    }
}

impl<R: Queued> Table<R> {
    /// Whether requests wait until there are enough of them. All instances start together.
    pub(super) fn awaits_start(&mut self, closed: bool) -> bool {
        if self.start_threshold == StartThreshold::default() {
            return false;
        }
        let places = self.places.values();
        let backlog = places.filter(|place| matches!(place, Place::Backlog(_)));
        let backlog = backlog.count();
        let slots = self.places.len() - backlog;
        if !closed && (slots < self.start_threshold.slots || backlog < self.start_threshold.backlog)
        {
            return true;
        }
        self.start_threshold = StartThreshold::default();
        self.ready.extend(self.instances.keys());
        false
    }

    /// Makes all instances check again: any request may be the last one that they wait for.
    pub(super) fn recheck_start(&mut self) {
        if self.start_threshold != StartThreshold::default() {
            self.ready.extend(self.instances.keys());
        }
    }
}
