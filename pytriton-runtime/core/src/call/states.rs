use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::model::{BatcherOptions, ModelSpec};
use crate::request::{Sequence, SequenceId};

use super::Loss;
use super::generation_states::GenerationStates;
use super::sequence_entry::{SequenceEntry, State};

/// The sequences of an instance, except those that a running call uses.
///
/// If this process schedules the sequences, its queue distinguishes successive sequences with the
/// same ID, and reports when each ends. tritonserver reports nothing, so a sequence without
/// requests for its idle time becomes due for removal.
///
/// tritonserver measures idle times differently: a request that it accepted in time may wait behind
/// batches of other sequences. A due state is therefore not dropped at once. It is dropped after
/// the instance has been idle for a while, or after a number of batches that would have included
/// the request.
#[derive(Debug)]
pub(super) struct States {
    generations: GenerationStates,
    retention: Retention,
    entries: HashMap<SequenceId, (u64, SequenceEntry)>,
    /// When each was last used, in order of use.
    used: BTreeMap<u64, (Instant, SequenceId)>,
    /// The due sequences, in the same order: since when, and the number of batches at that time.
    due: BTreeMap<u64, (Instant, u64, SequenceId)>,
    uses: u64,
    batches: u64,
    /// When the last batch arrived.
    last_batch: Instant,
    /// Since when the instance has been waiting for the next batch.
    idle_since: Option<Instant>,
    /// States that are no longer needed.
    obsolete: Vec<State>,
}

/// How long unused states are kept.
#[derive(Debug, Clone, Copy)]
struct Retention {
    idle: Duration,
    /// How long the instance must have been idle.
    min_idle: Duration,
    /// How many batches must have arrived.
    batches: u64,
}

/// The time that the server may take to deliver a request that need not wait.
const DELIVERY_TIME: Duration = Duration::from_secs(1);

impl Retention {
    fn new(model: &ModelSpec) -> Self {
        let batching = model.sequence_batching();
        let options = batching.map_or(BatcherOptions::DEFAULT, |batching| batching.options);
        let slots = batching.map_or(1, |batching| batching.slots(model.max_batch_size));
        Self {
            idle: Duration::from_micros(options.max_sequence_idle_microseconds),
            min_idle: Duration::from_micros(options.max_queue_delay_microseconds)
                .saturating_add(DELIVERY_TIME),
            // Every other sequence may be served first, then the batches in flight, plus one.
            batches: u64::from(slots) + u64::from(model.call_options.batches_in_flight) + 1,
        }
    }
}

impl States {
    pub(super) fn new(model: &ModelSpec) -> Self {
        Self {
            generations: GenerationStates::default(),
            retention: Retention::new(model),
            entries: HashMap::new(),
            used: BTreeMap::new(),
            due: BTreeMap::new(),
            uses: 0,
            batches: 0,
            last_batch: Instant::now(),
            idle_since: None,
            obsolete: Vec::new(),
        }
    }

    /// Takes the entry of a sequence.
    pub(super) fn take(&mut self, sequence: &Sequence) -> Option<SequenceEntry> {
        match sequence.generation() {
            Some(generation) => self.generations.take(&generation),
            None => self.take_id(sequence.id()),
        }
    }

    fn take_id(&mut self, id: &SequenceId) -> Option<SequenceEntry> {
        let (number, entry) = self.entries.remove(id)?;
        self.used.remove(&number);
        self.due.remove(&number);
        Some(entry)
    }

    /// Stores the entry of a sequence, which was used in the last batch.
    pub(super) fn keep(&mut self, sequence: &Sequence, entry: SequenceEntry) {
        let id = sequence.id();
        let generation = sequence.generation();
        let before = match &generation {
            Some(generation) => self.generations.keep(generation, entry),
            None => self.keep_id(id, entry),
        };
        self.obsolete.extend(before.and_then(SequenceEntry::state));
    }

    fn keep_id(&mut self, id: &SequenceId, entry: SequenceEntry) -> Option<SequenceEntry> {
        let before = self.take_id(id);
        self.uses += 1;
        self.entries.insert(id.clone(), (self.uses, entry));
        self.used.insert(self.uses, (self.last_batch, id.clone()));
        before
    }

    /// Keeps a state until it can be dropped.
    pub(super) fn drop_later(&mut self, state: State) {
        self.obsolete.push(state);
    }

    /// Records that a batch has arrived.
    pub(super) fn note_batch(&mut self, now: Instant) {
        self.batches += 1;
        self.last_batch = now;
        self.idle_since = None;
    }

    /// Records that the instance waits for the next batch. Returns the states to drop, and when to
    /// call this again.
    pub(super) fn collect_expired(&mut self, now: Instant) -> (Vec<State>, Option<Instant>) {
        self.obsolete.extend(self.generations.take_ended());
        let idle_since = *self.idle_since.get_or_insert(now);
        let Retention {
            idle,
            min_idle,
            batches,
        } = self.retention;
        while let Some(first) = self.used.first_entry()
            && let Some(due) = first.get().0.checked_add(idle)
            && due <= now
        {
            let (number, (_, id)) = first.remove_entry();
            self.due.insert(number, (due, self.batches, id));
        }
        let removal = |due: Instant| due.max(idle_since).checked_add(min_idle);
        while let Some(first) = self.due.first_entry()
            && let (due, since, _) = first.get()
            && (removal(*due).is_some_and(|removal| removal <= now)
                || self.batches - since >= batches)
        {
            let (_, _, id) = first.remove();
            let entry = self.entries.remove(&id);
            self.obsolete
                .extend(entry.and_then(|(_, entry)| entry.state()));
        }
        let used = self.used.first_key_value();
        let used = used.and_then(|(_, (used, _))| used.checked_add(idle));
        let due = self.due.first_key_value();
        let due = due.and_then(|(_, (due, ..))| removal(*due));
        (
            mem::take(&mut self.obsolete),
            used.into_iter().chain(due).min(),
        )
    }

    /// Waits until a sequence ends, and collects its state.
    pub(super) fn poll_ended(&mut self, task: &Context<'_>) -> Poll<()> {
        let over = self.generations.poll_ended(task);
        over.map(|state| self.obsolete.extend(state))
    }

    /// Marks the states of all sequences as lost whose ends are not reported.
    pub(super) fn mark_lost(&mut self, loss: Loss) {
        for (_, entry) in self.entries.values_mut() {
            if let SequenceEntry::State(state) = mem::replace(entry, SequenceEntry::Lost(loss)) {
                self.obsolete.push(state);
            }
        }
    }

    /// Removes all sequences and returns their states.
    pub(super) fn clear(&mut self) -> Vec<State> {
        self.used.clear();
        self.due.clear();
        let entries = mem::take(&mut self.entries).into_values();
        let states = entries.filter_map(|(_, entry)| entry.state());
        mem::take(&mut self.obsolete)
            .into_iter()
            .chain(states)
            .chain(self.generations.clear())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Batcher, SequenceScheduling};
    use crate::testing::IDENTITY;

    use super::*;

    const IDLE: u64 = 5_000;
    const START: u64 = 100_000;

    /// The states of two slots, and a clock in milliseconds.
    struct Clock {
        states: States,
        zero: Instant,
    }

    impl Clock {
        fn new(idle_milliseconds: u64) -> Self {
            let batcher = Batcher {
                sequences: Some(SequenceScheduling::Direct),
                options: BatcherOptions {
                    max_sequence_idle_microseconds: idle_milliseconds.saturating_mul(1000),
                    max_queue_delay_microseconds: 500_000,
                    ..BatcherOptions::DEFAULT
                },
                ..Batcher::DYNAMIC
            };
            let model = ModelSpec {
                batcher: Some(batcher),
                max_batch_size: 2,
                ..IDENTITY.spec().unwrap()
            };
            Self {
                states: States::new(&model),
                zero: Instant::now(),
            }
        }

        fn at(&self, milliseconds: u64) -> Instant {
            self.zero + Duration::from_millis(milliseconds)
        }

        /// Executes a batch of these sequences.
        fn batch(&mut self, at: u64, sequences: &[u64]) {
            let at = self.at(at);
            self.states.note_batch(at);
            for &sequence in sequences {
                let follows = follows(sequence);
                let entry = self.states.take(&follows);
                let entry = entry.unwrap_or(SequenceEntry::State(Box::new(sequence)));
                self.states.keep(&follows, entry);
            }
        }

        /// Returns the sequences whose states are dropped, and when to check again.
        fn collect_expired(&mut self, at: u64) -> (Vec<u64>, Option<u64>) {
            let (states, next) = self.states.collect_expired(self.at(at));
            let next = next.map(|next| u64::try_from((next - self.zero).as_millis()).unwrap());
            (numbers(states), next)
        }
    }

    fn follows(sequence: u64) -> Sequence {
        Sequence::new(sequence).unwrap()
    }

    fn numbers(states: Vec<State>) -> Vec<u64> {
        let states = states.into_iter();
        states.map(|state| *state.downcast().unwrap()).collect()
    }

    #[test]
    fn expired_states_are_dropped_after_the_instance_has_been_idle() {
        let mut clock = Clock::new(IDLE);
        assert_eq!(clock.collect_expired(0), (vec![], None));
        clock.batch(START, &[1, 2]);
        assert_eq!(
            clock.collect_expired(START + 10),
            (vec![], Some(START + IDLE))
        );
        clock.batch(START + 1_000, &[2]);
        assert_eq!(
            clock.collect_expired(START + 1_000),
            (vec![], Some(START + IDLE))
        );
        let removal = START + IDLE + 1_500;
        assert_eq!(
            clock.collect_expired(START + IDLE),
            (vec![], Some(START + IDLE + 1_000))
        );
        assert_eq!(
            clock.collect_expired(START + IDLE + 1_000),
            (vec![], Some(removal))
        );
        assert_eq!(clock.collect_expired(removal - 1), (vec![], Some(removal)));
        assert_eq!(
            clock.collect_expired(removal),
            (vec![1], Some(removal + 1_000))
        );
        assert_eq!(clock.collect_expired(removal + 1_000), (vec![2], None));
        assert!(clock.states.entries.is_empty());
    }

    #[test]
    fn a_long_batch_of_other_sequences_does_not_count_as_idle_time() {
        let mut clock = Clock::new(IDLE);
        clock.batch(0, &[1]);
        clock.collect_expired(1);
        clock.batch(2, &[2]);
        // The batch takes a minute, and the next request of the first sequence waits behind it.
        assert_eq!(clock.collect_expired(60_000), (vec![], Some(61_500)));
        assert_eq!(clock.collect_expired(61_499), (vec![], Some(61_500)));
        clock.batch(61_499, &[1]);
        assert_eq!(clock.collect_expired(61_500), (vec![], Some(63_000)));
        assert_eq!(clock.collect_expired(63_000), (vec![2], Some(66_499)));
    }

    #[test]
    fn a_busy_instance_drops_expired_states_after_enough_batches() {
        let mut clock = Clock::new(IDLE);
        clock.batch(0, &[1]);
        clock.batch(1, &[2]);
        for at in 2..=3 {
            clock.batch(at * 3_000, &[3]);
            assert_eq!(clock.collect_expired(at * 3_000).0, Vec::<u64>::new());
        }
        // Two slots and two batches in flight since both became due.
        for at in 4..=5 {
            clock.batch(at * 3_000, &[3]);
            assert_eq!(
                clock.collect_expired(at * 3_000).0,
                Vec::<u64>::new(),
                "{at}"
            );
        }
        clock.batch(18_000, &[3]);
        assert_eq!(clock.collect_expired(18_000).0, [1, 2]);
    }

    #[test]
    fn an_unlimited_idle_time_never_expires() {
        let mut clock = Clock::new(u64::MAX);
        clock.batch(0, &[1]);
        let next = Some(u64::MAX / 1000);
        assert_eq!(clock.collect_expired(u64::from(u32::MAX)), (vec![], next));
        clock.batch(1 << 33, &[2]);
        let mut forgotten = numbers(clock.states.clear());
        forgotten.sort_unstable();
        assert_eq!(forgotten, [1, 2]);
        assert_eq!(clock.collect_expired(1 << 34), (vec![], None));
    }

    #[test]
    fn obsolete_states_are_dropped_after_the_batch() {
        let mut clock = Clock::new(IDLE);
        clock.batch(0, &[1, 2]);
        let Some(SequenceEntry::State(state)) = clock.states.take(&follows(1)) else {
            panic!("the call has no sequence state");
        };
        clock.states.drop_later(state);
        let lost = SequenceEntry::Lost(Loss::Panicked);
        clock.states.keep(&follows(2), lost);
        assert_eq!(clock.collect_expired(1), (vec![1, 2], Some(IDLE)));
        // Entries of lost states expire like any other.
        assert_eq!(clock.collect_expired(IDLE), (vec![], Some(IDLE + 1_500)));
        assert_eq!(clock.collect_expired(IDLE + 1_500), (vec![], None));
        assert!(clock.states.entries.is_empty());
    }
}
