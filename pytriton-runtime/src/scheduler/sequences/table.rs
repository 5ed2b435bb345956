use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::time::Duration;

use tokio::time::Instant;

use crate::model::{ModelSpec, SequenceBatching};
use crate::request::Sequence;
use crate::scheduler::Policy;

use super::backlog::Backlog;
use super::instance::{Instance, Pick};
use super::live::{Live, Place};
use super::slot::{Entry, Item, Queued, Seat};
use super::strategy::Strategy;

/// The sequences of a model, and their requests that wait.
#[derive(Debug)]
pub(super) struct Table<R> {
    pub(super) strategy: Strategy,
    pub(super) slots: u32,
    pub(super) live: Live,
    pub(super) backlog: Backlog<R>,
    pub(super) instances: BTreeMap<u32, Instance<R>>,
    /// The slots of which nobody makes use, in the order in which they are given away.
    pub(super) free: BTreeSet<Seat>,
    /// How many slots of each instance are free or have been used: the others are free too.
    pub(super) opened: u32,
    pub(super) next_issue: u64,
    /// Where each request waits.
    pub(super) places: BTreeMap<u64, Place>,
    pub(super) lost: Vec<(R, Lost)>,
    pub(super) ready: BTreeSet<u32>,
}

/// Why a request will not be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// An earlier request of its sequence was taken back.
    TakenBack,
    /// It has waited in the backlog for longer than a request of its sequence may.
    Late,
    /// The instance that has its sequence takes no requests.
    Instance,
}

/// A sequence that is not known has no START.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotStarted;

/// What an instance finds.
#[derive(Debug)]
pub(super) enum Found<R> {
    /// Requests, each with the number of its slot.
    Batch(Vec<(u32, R)>),
    /// Look again after that time, if nothing comes before.
    Look(Option<Duration>),
}

impl<R: Queued> Table<R> {
    pub(super) fn new(spec: &ModelSpec, batching: &SequenceBatching) -> Self {
        let idle = Duration::from_micros(batching.max_sequence_idle_microseconds);
        Self {
            strategy: Strategy::new(spec, &batching.strategy),
            slots: batching.slots(spec.max_batch_size),
            live: Live::new(idle),
            backlog: Backlog::new(),
            instances: BTreeMap::new(),
            free: BTreeSet::new(),
            opened: 0,
            next_issue: 0,
            places: BTreeMap::new(),
            lost: Vec::new(),
            ready: BTreeSet::new(),
        }
    }

    /// How many requests wait.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether a request of a sequence may come now.
    ///
    /// # Errors
    ///
    /// [`NotStarted`].
    pub(super) fn check(&self, sequence: &Sequence) -> Result<(), NotStarted> {
        let known = self.live.place(sequence.id()).is_some();
        (known || sequence.starts()).then_some(()).ok_or(NotStarted)
    }

    /// Puts a request behind those of its sequence, or starts one; says whether it starts one that has not ended. It waits for a
    /// slot until its `deadline`.
    ///
    /// To be called for requests alone that [`check`](Self::check) has let pass.
    pub(super) fn push(
        &mut self,
        sequence: &Sequence,
        mut request: R,
        deadline: Option<Instant>,
        now: Instant,
    ) -> bool {
        let known = self.live.place(sequence.id());
        let place = known.unwrap_or_else(|| match self.free_seat() {
            Some(seat) => Place::Slot(seat),
            None => Place::Backlog(self.backlog.open()),
        });
        let generation = self.live.generation(sequence.id());
        request.belong(&generation);
        match sequence.ends() {
            true => self.live.end(sequence.id()),
            false => self.live.note(sequence.id(), (place, generation), now),
        }
        self.places.insert(request.number(), place);
        let item = Item::Request(Entry {
            id: sequence.id().clone(),
            ends: sequence.ends(),
            deadline,
            request,
        });
        match place {
            Place::Slot(seat) => {
                self.instance(seat).slot(seat.slot).queue.push_back(item);
                self.settle(seat, now);
            }
            Place::Backlog(number) => {
                self.backlog.push(number, item);
                if sequence.ends() {
                    self.backlog.close(number);
                }
            }
        }
        known.is_some() && sequence.starts()
    }

    /// The next batch of an instance, which is being executed from here on.
    pub(super) fn take(
        &mut self,
        instance: u32,
        policy: &Policy,
        closed: bool,
        now: Instant,
    ) -> Found<R> {
        let strategy = self.strategy;
        let Some(slots) = self.instances.get(&instance) else {
            return Found::Look(None);
        };
        let slots = match slots.pick(strategy, policy, closed, now) {
            Pick::Slots(slots) => slots,
            Pick::Wait(left) => return Found::Look(Some(left)),
            Pick::Nothing => return Found::Look(None),
        };
        let taken = slots.into_iter().filter_map(|slot| {
            let entry = self.leave(Seat { slot, instance })?;
            self.places.remove(&entry.request.number());
            Some((slot, entry.request))
        });
        let batch: Vec<(u32, R)> = taken.collect();
        if let Some(slots) = self.instances.get_mut(&instance) {
            slots.running += 1;
        }
        Found::Batch(batch)
    }

    /// Takes the request of a slot that is next.
    fn leave(&mut self, seat: Seat) -> Option<Entry<R>> {
        let instance = self.instance(seat);
        let slot = instance.slot(seat.slot);
        if let Some((order, entry)) = slot.issued.take() {
            slot.executing = true;
            instance.issued.remove(&order);
            return Some(entry);
        }
        let entry = slot.pop()?;
        slot.executing = true;
        if entry.ends {
            self.release(seat);
        }
        Some(entry)
    }

    /// Notes that the requests of those slots have been executed.
    pub(super) fn executed(&mut self, instance: u32, slots: &[u32], now: Instant) {
        if let Some(slots) = self.instances.get_mut(&instance) {
            slots.running = slots.running.saturating_sub(1);
        }
        for &slot in slots {
            let seat = Seat { slot, instance };
            self.instance(seat).slot(slot).executing = false;
            self.settle(seat, now);
        }
        // The others wait for it too, with the direct strategy.
        self.ready.insert(instance);
    }

    /// The requests that will not be executed.
    pub(super) fn lost(&mut self) -> Vec<(R, Lost)> {
        mem::take(&mut self.lost)
    }

    /// The instances that may find something.
    pub(super) fn ready(&mut self) -> BTreeSet<u32> {
        mem::take(&mut self.ready)
    }

    /// The instance of a seat.
    pub(super) fn instance(&mut self, seat: Seat) -> &mut Instance<R> {
        self.instances.entry(seat.instance).or_default()
    }
}
