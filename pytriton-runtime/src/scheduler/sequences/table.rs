use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem;
use std::time::Duration;

use tokio::time::Instant;

use crate::model::{ModelSpec, SequenceBatching};
use crate::request::Sequence;
use crate::scheduler::Policy;

use super::backlog::{self, Backlog};
use super::instance::{Instance, Pick};
use super::live::{Live, Place};
use super::slot::{Entry, Item, Queued, Seat, requests, take_back};
use super::strategy::Strategy;

/// The sequences of a model, and their requests that wait.
#[derive(Debug)]
pub(super) struct Table<R> {
    strategy: Strategy,
    slots: u32,
    live: Live,
    backlog: Backlog<R>,
    instances: BTreeMap<u32, Instance<R>>,
    /// The slots of which nobody makes use, in the order in which they are given away.
    free: BTreeSet<Seat>,
    /// How many slots of each instance are free or have been used: the others are free too.
    opened: u32,
    next_issue: u64,
    waiting: usize,
    lost: Vec<(R, Lost)>,
    ready: BTreeSet<u32>,
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
            waiting: 0,
            lost: Vec::new(),
            ready: BTreeSet::new(),
        }
    }

    /// How many requests wait.
    pub(super) fn len(&self) -> usize {
        self.waiting
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
        request: R,
        deadline: Option<Instant>,
        now: Instant,
    ) -> bool {
        let known = self.live.place(sequence.id());
        let place = known.unwrap_or_else(|| match self.free_seat() {
            Some(seat) => Place::Slot(seat),
            None => Place::Backlog(self.backlog.open()),
        });
        match sequence.ends() {
            true => self.live.end(sequence.id()),
            false => self.live.note(sequence.id(), place, now),
        }
        let item = Item::Request(Entry {
            id: sequence.id().clone(),
            ends: sequence.ends(),
            request,
        });
        self.waiting += 1;
        match place {
            Place::Slot(seat) => {
                self.instance(seat).slot(seat.slot).queue.push_back(item);
                self.settle(seat, now);
            }
            Place::Backlog(number) => {
                self.backlog.push(number, item, deadline);
                if sequence.ends() {
                    self.backlog.close(number);
                }
            }
        }
        known.is_some() && sequence.starts()
    }

    /// Takes out a request that its client has taken back. Its sequence ends where it stood.
    pub(super) fn take_back(&mut self, is_it: impl Fn(&R) -> bool, now: Instant) -> Option<R> {
        let request = self.backlog.take_back(&is_it);
        let request = request.or_else(|| self.take_back_seated(is_it, now))?;
        self.waiting -= 1;
        Some(request)
    }

    fn take_back_seated(&mut self, is_it: impl Fn(&R) -> bool, now: Instant) -> Option<R> {
        let seats = self.instances.iter_mut().flat_map(|(&instance, slots)| {
            let slots = (0..).zip(&mut slots.slots);
            slots.map(move |(slot, queue)| (Seat { slot, instance }, queue))
        });
        let mut found = None;
        for (seat, slot) in seats {
            if let Some((order, entry)) = slot.issued.take_if(|(_, entry)| is_it(&entry.request)) {
                if !entry.ends {
                    slot.queue.push_front(Item::TakenBack(entry.id));
                }
                found = Some((seat, Some(order), entry.request));
            } else if let Some(request) = take_back(&mut slot.queue, &is_it) {
                found = Some((seat, None, request));
            }
            if found.is_some() {
                break;
            }
        }
        let (seat, order, request) = found?;
        if let Some(order) = order {
            self.instance(seat).issued.remove(&order);
        }
        self.settle(seat, now);
        Some(request)
    }

    /// Ends what has been idle for too long, and what has waited in the backlog for too long.
    pub(super) fn expire(&mut self, now: Instant) {
        while let Some(seat) = self.live.expire(now) {
            self.instance(seat)
                .slot(seat.slot)
                .queue
                .push_back(Item::Release);
            self.settle(seat, now);
        }
        while let Some((number, waiting)) = self.backlog.expire(now) {
            self.forget(number, &waiting);
            self.lose(waiting.queue, Lost::Late);
        }
    }

    /// When that is to be done next.
    pub(super) fn next_expiry(&self) -> Option<Instant> {
        let deadlines = [self.live.next_deadline(), self.backlog.next_deadline()];
        deadlines.into_iter().flatten().min()
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
            Some((slot, entry.request))
        });
        let batch: Vec<(u32, R)> = taken.collect();
        if let Some(slots) = self.instances.get_mut(&instance) {
            slots.running += 1;
        }
        self.waiting -= batch.len();
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

    /// Gives an instance its slots.
    pub(super) fn enter(&mut self, instance: u32, now: Instant) {
        self.instances.entry(instance).or_default().present = true;
        for slot in 0..self.opened {
            let seat = Seat { slot, instance };
            self.release(seat);
            self.settle(seat, now);
        }
        while !self.backlog.is_empty()
            && let Some(seat) = self.free_seat()
        {
            self.release(seat);
            self.settle(seat, now);
        }
    }

    /// Takes an instance its slots, and the sequences that have them; what is executed is.
    pub(super) fn absent(&mut self, instance: u32) {
        let Some(slots) = self.instances.get_mut(&instance) else {
            return;
        };
        slots.present = false;
        slots.issued.clear();
        let mut queues = Vec::new();
        for slot in &mut slots.slots {
            let issued = slot.issued.take().map(|(_, entry)| Item::Request(entry));
            queues.extend(issued.map(|entry| VecDeque::from([entry])));
            queues.push(mem::take(&mut slot.queue));
        }
        self.free.retain(|seat| seat.instance != instance);
        self.live.end_of(instance);
        for queue in queues {
            self.lose(queue, Lost::Instance);
        }
    }

    /// Ends all sequences, behind the requests that wait.
    pub(super) fn end_all(&mut self, now: Instant) {
        let mut seats = Vec::new();
        for place in self.live.end_all() {
            match place {
                Place::Slot(seat) => seats.push(seat),
                Place::Backlog(number) => {
                    self.backlog.push(number, Item::Release, None);
                    self.backlog.close(number);
                }
            }
        }
        // What they give back goes to the backlog, where all is noted by now.
        for seat in seats {
            let queue = &mut self.instance(seat).slot(seat.slot).queue;
            queue.push_back(Item::Release);
            self.settle(seat, now);
        }
    }

    /// Ends all sequences, and takes out the requests that wait.
    pub(super) fn clear(&mut self, now: Instant) -> Vec<R> {
        let mut queues = Vec::new();
        while let Some((_, waiting)) = self.backlog.pop() {
            queues.push(waiting.queue);
        }
        let mut seats = Vec::new();
        for (&instance, slots) in &mut self.instances {
            slots.issued.clear();
            for (number, slot) in (0..).zip(&mut slots.slots) {
                let issued = slot.issued.take().map(|(_, entry)| Item::Request(entry));
                queues.push(issued.into_iter().collect());
                if !slot.queue.is_empty() {
                    queues.push(mem::replace(&mut slot.queue, [Item::Release].into()));
                }
                let slot = number;
                seats.push(Seat { slot, instance });
            }
        }
        let cleared: Vec<R> = queues.into_iter().flat_map(requests).collect();
        self.waiting -= cleared.len();
        self.end_all(now);
        for seat in seats {
            self.settle(seat, now);
        }
        cleared
    }

    /// The requests that will not be executed.
    pub(super) fn lost(&mut self) -> Vec<(R, Lost)> {
        mem::take(&mut self.lost)
    }

    /// The instances that may find something.
    pub(super) fn ready(&mut self) -> BTreeSet<u32> {
        mem::take(&mut self.ready)
    }

    fn instance(&mut self, seat: Seat) -> &mut Instance<R> {
        self.instances.entry(seat.instance).or_default()
    }

    /// The lowest slot that is free, on whichever instance.
    fn free_seat(&mut self) -> Option<Seat> {
        if self.free.is_empty() {
            self.open();
        }
        self.free.pop_first()
    }

    /// Opens a further slot of each instance, if they have one.
    fn open(&mut self) {
        let slot = self.opened;
        let present = self.instances.iter().filter(|(_, slots)| slots.present);
        let seats = present.map(|(&instance, _)| Seat { slot, instance });
        if slot < self.slots {
            self.free.extend(seats);
            self.opened += u32::from(!self.free.is_empty());
        }
    }

    /// Does what the head of a slot asks for, until it is a request or nothing.
    fn settle(&mut self, seat: Seat, now: Instant) {
        loop {
            let oldest = self.strategy == Strategy::Oldest;
            let order = self.next_issue;
            let instance = self.instance(seat);
            let slot = instance.slot(seat.slot);
            if slot.executing || slot.issued.is_some() {
                return;
            }
            match slot.queue.front() {
                None => return,
                Some(Item::Request(_)) => {}
                Some(Item::Release) => {
                    slot.queue.clear();
                    self.release(seat);
                    continue;
                }
                Some(Item::TakenBack(id)) => {
                    let id = id.clone();
                    let queue = mem::take(&mut slot.queue);
                    self.live.end_at(&id, Place::Slot(seat));
                    self.lose(queue, Lost::TakenBack);
                    self.release(seat);
                    continue;
                }
            }
            self.ready.insert(seat.instance);
            if !oldest {
                return;
            }
            let instance = self.instance(seat);
            let slot = instance.slot(seat.slot);
            let Some(entry) = slot.pop() else {
                return;
            };
            let ends = entry.ends;
            slot.issued = Some((order, entry));
            instance.issued.insert(order, (seat.slot, now));
            self.next_issue += 1;
            if ends {
                self.release(seat);
            }
            return;
        }
    }

    /// Gives a slot whose sequence has ended to the sequence that has waited longest, if one does.
    fn release(&mut self, seat: Seat) {
        if !self.instance(seat).present {
            return;
        }
        while let Some((number, waiting)) = self.backlog.pop() {
            if waiting.is_taken_back() {
                self.forget(number, &waiting);
                self.lose(waiting.queue, Lost::TakenBack);
                continue;
            }
            if waiting.open
                && let Some(Item::Request(Entry { id, .. })) = waiting.queue.back()
            {
                self.live.seat(id, seat);
            }
            self.instance(seat).slot(seat.slot).queue = waiting.queue;
            return;
        }
        self.free.insert(seat);
    }

    /// Forgets a sequence that was taken out of the backlog.
    fn forget(&mut self, number: u64, waiting: &backlog::Waiting<R>) {
        let id = waiting.queue.front().and_then(|item| match item {
            Item::Request(entry) => Some(&entry.id),
            Item::TakenBack(id) => Some(id),
            Item::Release => None,
        });
        if let Some(id) = id {
            self.live.end_at(id, Place::Backlog(number));
        }
    }

    fn lose(&mut self, queue: VecDeque<Item<R>>, why: Lost) {
        let before = self.lost.len();
        let lost = requests(queue).map(|request| (request, why));
        self.lost.extend(lost);
        self.waiting -= self.lost.len() - before;
    }
}
