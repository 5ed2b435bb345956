use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use pytriton_core::request::{Generation, SequenceId};
use tokio::time::Instant;

use super::slot::SlotId;

/// Where the requests of a sequence are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a slot.
    Slot(SlotId),
    /// In the backlog, under a number.
    Backlog(u64),
}

/// The sequences that have started and not ended, and their idle deadlines.
#[derive(Debug)]
pub(super) struct ActiveSequences {
    idle: Duration,
    pub(super) known: HashMap<SequenceId, Known>,
    /// The deadlines of sequences with a slot.
    pub(super) deadlines: BTreeSet<(Instant, SequenceId)>,
    generations: u64,
}

#[derive(Debug)]
pub(super) struct Known {
    place: Place,
    /// When its last request arrived.
    last: Instant,
    generation: Arc<Generation>,
}

impl ActiveSequences {
    pub(super) fn new(idle: Duration) -> Self {
        Self {
            idle,
            known: HashMap::new(),
            deadlines: BTreeSet::new(),
            generations: 0,
        }
    }

    pub(super) fn place(&self, id: &SequenceId) -> Option<Place> {
        self.known.get(id).map(|known| known.place)
    }

    /// Records that a sequence has received a request, and where its requests are collected.
    pub(super) fn note(
        &mut self,
        id: &SequenceId,
        (place, generation): (Place, Arc<Generation>),
        now: Instant,
    ) {
        self.forget(id);
        let last = now;
        let known = Known {
            place,
            last,
            generation,
        };
        self.insert(id, known);
    }

    /// Returns the generation of a running sequence, or creates one.
    pub(super) fn generation(&mut self, id: &SequenceId) -> Arc<Generation> {
        if let Some(known) = self.known.get(id) {
            return Arc::clone(&known.generation);
        }
        self.generations += 1;
        Generation::new(self.generations)
    }

    /// Records that a sequence has received a slot.
    pub(super) fn assign(&mut self, id: &SequenceId, slot_id: SlotId) {
        if let Some(known) = self.forget(id) {
            let place = Place::Slot(slot_id);
            self.insert(id, Known { place, ..known });
        }
    }

    /// Removes a sequence.
    pub(super) fn end(&mut self, id: &SequenceId) {
        self.forget(id);
    }

    /// Removes a sequence if it is collected there. It may be a later one with the same ID.
    pub(super) fn end_at(&mut self, id: &SequenceId, place: Place) {
        if self.place(id) == Some(place) {
            self.forget(id);
        }
    }

    /// Removes the sequences of an instance.
    pub(super) fn end_of(&mut self, instance: u32) {
        let is_there = |known: &Known| matches!(known.place, Place::Slot(slot_id) if slot_id.instance == instance);
        let there = self.known.iter().filter(|(_, known)| is_there(known));
        let there: Vec<SequenceId> = there.map(|(id, _)| id.clone()).collect();
        for id in there {
            self.forget(&id);
        }
    }

    /// Removes all sequences and returns their places.
    pub(super) fn end_all(&mut self) -> Vec<Place> {
        self.deadlines.clear();
        let known = std::mem::take(&mut self.known).into_values();
        known.map(|known| known.place).collect()
    }

    /// Removes one sequence with a slot that has been idle for too long.
    pub(super) fn expire(&mut self, now: Instant) -> Option<SlotId> {
        let (deadline, id) = self.deadlines.first()?;
        if *deadline > now {
            return None;
        }
        let id = id.clone();
        match self.forget(&id)?.place {
            Place::Slot(slot_id) => Some(slot_id),
            Place::Backlog(_) => None,
        }
    }

    /// Returns the earliest idle deadline.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    fn insert(&mut self, id: &SequenceId, known: Known) {
        if let Some(deadline) = self.deadline(&known) {
            self.deadlines.insert((deadline, id.clone()));
        }
        self.known.insert(id.clone(), known);
    }

    fn forget(&mut self, id: &SequenceId) -> Option<Known> {
        let known = self.known.remove(id)?;
        if let Some(deadline) = self.deadline(&known) {
            self.deadlines.remove(&(deadline, id.clone()));
        }
        Some(known)
    }

    fn deadline(&self, known: &Known) -> Option<Instant> {
        match known.place {
            Place::Slot(_) => known.last.checked_add(self.idle),
            Place::Backlog(_) => None,
        }
    }
}
