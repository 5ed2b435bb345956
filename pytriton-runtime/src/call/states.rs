use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::model::{ModelSpec, SequenceBatching, SequenceStrategy};
use crate::request::{Sequence, SequenceId};

use super::Loss;
use super::living::Living;

/// The state of a sequence, of any type.
pub(super) type State = Box<dyn Any>;

/// What an instance knows about a sequence.
#[derive(Debug)]
pub(super) enum Kept {
    State(State),
    /// The state no longer exists.
    Lost(Loss),
}

impl Kept {
    pub(super) fn state(self) -> Option<State> {
        match self {
            Self::State(state) => Some(state),
            Self::Lost(_) => None,
        }
    }
}

/// The sequences of an instance, except those that a running call uses.
///
/// If this process schedules the sequences, its queue distinguishes successive sequences with the
/// same ID, and reports when each ends. tritonserver reports nothing, so a sequence without
/// requests for its idle time becomes due for removal.
///
/// tritonserver measures idle times differently: a request that it accepted in time may wait behind
/// batches of other sequences. A due state is therefore not dropped at once. It is dropped after
/// the instance has been idle for a while, or after so many batches that the request would have
/// been among them.
#[derive(Debug)]
pub(super) struct States {
    living: Living,
    patience: Patience,
    kept: HashMap<SequenceId, (u64, Kept)>,
    /// When each was last used, in order of use.
    used: BTreeMap<u64, (Instant, SequenceId)>,
    /// The due sequences, in the same order: since when, and the number of batches at that time.
    due: BTreeMap<u64, (Instant, u64, SequenceId)>,
    uses: u64,
    batches: u64,
    /// When the last batch arrived.
    came: Instant,
    /// Since when the instance has been waiting for the next batch.
    free: Option<Instant>,
    /// States that are no longer needed.
    spent: Vec<State>,
}

/// How long unused states are kept.
#[derive(Debug, Clone, Copy)]
struct Patience {
    idle: Duration,
    /// How long the instance must have been idle.
    free: Duration,
    /// How many batches must have arrived.
    batches: u64,
}

/// The time that the server may take to deliver a request that need not wait.
const HANDING_ON: Duration = Duration::from_secs(1);

impl Patience {
    fn new(model: &ModelSpec) -> Self {
        let batching = model.sequence_batching.as_ref();
        let (idle, delay) = match batching {
            None => (SequenceBatching::DEFAULT_IDLE_MICROSECONDS, 0),
            Some(batching) => {
                let (SequenceStrategy::Direct {
                    max_queue_delay_microseconds: delay,
                    ..
                }
                | SequenceStrategy::Oldest {
                    max_queue_delay_microseconds: delay,
                    ..
                }) = batching.strategy;
                (batching.max_sequence_idle_microseconds, delay)
            }
        };
        let slots = batching.map_or(1, |batching| batching.slots(model.max_batch_size));
        Self {
            idle: Duration::from_micros(idle),
            free: Duration::from_micros(delay).saturating_add(HANDING_ON),
            // Every other sequence may be served first, then the batches in flight, plus one.
            batches: u64::from(slots) + u64::from(model.batches_in_flight) + 1,
        }
    }
}

impl States {
    pub(super) fn new(model: &ModelSpec) -> Self {
        Self {
            living: Living::default(),
            patience: Patience::new(model),
            kept: HashMap::new(),
            used: BTreeMap::new(),
            due: BTreeMap::new(),
            uses: 0,
            batches: 0,
            came: Instant::now(),
            free: None,
            spent: Vec::new(),
        }
    }

    /// Takes the entry of a sequence.
    pub(super) fn take(&mut self, sequence: &Sequence) -> Option<Kept> {
        match sequence.generation() {
            Some(generation) => self.living.take(&generation),
            None => self.take_id(sequence.id()),
        }
    }

    fn take_id(&mut self, id: &SequenceId) -> Option<Kept> {
        let (number, kept) = self.kept.remove(id)?;
        self.used.remove(&number);
        self.due.remove(&number);
        Some(kept)
    }

    /// Stores the entry of a sequence, which was used in the last batch.
    pub(super) fn keep(&mut self, sequence: &Sequence, kept: Kept) {
        let id = sequence.id();
        let generation = sequence.generation();
        let before = match &generation {
            Some(generation) => self.living.keep(generation, kept),
            None => self.keep_id(id, kept),
        };
        self.spent.extend(before.and_then(Kept::state));
    }

    fn keep_id(&mut self, id: &SequenceId, kept: Kept) -> Option<Kept> {
        let before = self.take_id(id);
        self.uses += 1;
        self.kept.insert(id.clone(), (self.uses, kept));
        self.used.insert(self.uses, (self.came, id.clone()));
        before
    }

    /// Keeps a state until it can be dropped.
    pub(super) fn spend(&mut self, state: State) {
        self.spent.push(state);
    }

    /// Records that a batch has arrived.
    pub(super) fn work(&mut self, now: Instant) {
        self.batches += 1;
        self.came = now;
        self.free = None;
    }

    /// Records that the instance waits for the next batch. Returns the states to drop, and when to
    /// call this again.
    pub(super) fn rest(&mut self, now: Instant) -> (Vec<State>, Option<Instant>) {
        self.spent.extend(self.living.over());
        let free = *self.free.get_or_insert(now);
        let Patience {
            idle,
            free: enough,
            batches,
        } = self.patience;
        while let Some(first) = self.used.first_entry()
            && let Some(due) = first.get().0.checked_add(idle)
            && due <= now
        {
            let (number, (_, id)) = first.remove_entry();
            self.due.insert(number, (due, self.batches, id));
        }
        let gone = |due: Instant| due.max(free).checked_add(enough);
        while let Some(first) = self.due.first_entry()
            && let (due, since, _) = first.get()
            && (gone(*due).is_some_and(|gone| gone <= now) || self.batches - since >= batches)
        {
            let (_, _, id) = first.remove();
            let kept = self.kept.remove(&id);
            self.spent.extend(kept.and_then(|(_, kept)| kept.state()));
        }
        let used = self.used.first_key_value();
        let used = used.and_then(|(_, (used, _))| used.checked_add(idle));
        let due = self.due.first_key_value();
        let due = due.and_then(|(_, (due, ..))| gone(*due));
        (
            mem::take(&mut self.spent),
            used.into_iter().chain(due).min(),
        )
    }

    /// Waits until a sequence ends, and collects its state.
    pub(super) fn poll_over(&mut self, task: &Context<'_>) -> Poll<()> {
        let over = self.living.poll_over(task);
        over.map(|state| self.spent.extend(state))
    }

    /// Marks the states of all sequences as lost whose ends are not reported.
    pub(super) fn lose(&mut self, loss: Loss) {
        for (_, kept) in self.kept.values_mut() {
            if let Kept::State(state) = mem::replace(kept, Kept::Lost(loss)) {
                self.spent.push(state);
            }
        }
    }

    /// Removes all sequences and returns their states.
    #[cfg(any(tritonserver, test))]
    pub(super) fn forget(&mut self) -> Vec<State> {
        self.used.clear();
        self.due.clear();
        let kept = mem::take(&mut self.kept).into_values();
        let states = kept.filter_map(|(_, kept)| kept.state());
        mem::take(&mut self.spent)
            .into_iter()
            .chain(states)
            .chain(self.living.clear())
            .collect()
    }
}

#[cfg(test)]
mod tests {
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
            let batching = SequenceBatching {
                max_sequence_idle_microseconds: idle_milliseconds.saturating_mul(1000),
                strategy: SequenceStrategy::Direct {
                    max_queue_delay_microseconds: 500_000,
                    minimum_slot_utilization: 0.0,
                },
            };
            let model = ModelSpec {
                sequence_batching: Some(batching),
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
            self.states.work(at);
            for &sequence in sequences {
                let follows = follows(sequence);
                let kept = self.states.take(&follows);
                let kept = kept.unwrap_or(Kept::State(Box::new(sequence)));
                self.states.keep(&follows, kept);
            }
        }

        /// Returns the sequences whose states are dropped, and when to check again.
        fn rest(&mut self, at: u64) -> (Vec<u64>, Option<u64>) {
            let (states, next) = self.states.rest(self.at(at));
            let next = next.map(|next| u64::try_from((next - self.zero).as_millis()).unwrap());
            (numbers(states), next)
        }
    }

    fn follows(sequence: u64) -> Sequence {
        Sequence::new(SequenceId::Number(sequence), false, false).unwrap()
    }

    fn numbers(states: Vec<State>) -> Vec<u64> {
        let states = states.into_iter();
        states.map(|state| *state.downcast().unwrap()).collect()
    }

    #[test]
    fn what_is_idle_goes_when_the_instance_has_been_free_for_a_while() {
        let mut clock = Clock::new(IDLE);
        assert_eq!(clock.rest(0), (vec![], None));
        clock.batch(START, &[1, 2]);
        assert_eq!(clock.rest(START + 10), (vec![], Some(START + IDLE)));
        clock.batch(START + 1_000, &[2]);
        assert_eq!(clock.rest(START + 1_000), (vec![], Some(START + IDLE)));
        let gone = START + IDLE + 1_500;
        assert_eq!(
            clock.rest(START + IDLE),
            (vec![], Some(START + IDLE + 1_000))
        );
        assert_eq!(clock.rest(START + IDLE + 1_000), (vec![], Some(gone)));
        assert_eq!(clock.rest(gone - 1), (vec![], Some(gone)));
        assert_eq!(clock.rest(gone), (vec![1], Some(gone + 1_000)));
        assert_eq!(clock.rest(gone + 1_000), (vec![2], None));
        assert!(clock.states.kept.is_empty());
    }

    #[test]
    fn a_long_batch_of_others_is_no_idle_time() {
        let mut clock = Clock::new(IDLE);
        clock.batch(0, &[1]);
        clock.rest(1);
        clock.batch(2, &[2]);
        // The batch takes a minute, and the next request of the first sequence waits behind it.
        assert_eq!(clock.rest(60_000), (vec![], Some(61_500)));
        assert_eq!(clock.rest(61_499), (vec![], Some(61_500)));
        clock.batch(61_499, &[1]);
        assert_eq!(clock.rest(61_500), (vec![], Some(63_000)));
        assert_eq!(clock.rest(63_000), (vec![2], Some(66_499)));
    }

    #[test]
    fn an_instance_that_is_never_free_does_not_keep_what_is_idle() {
        let mut clock = Clock::new(IDLE);
        clock.batch(0, &[1]);
        clock.batch(1, &[2]);
        for at in 2..=3 {
            clock.batch(at * 3_000, &[3]);
            assert_eq!(clock.rest(at * 3_000).0, Vec::<u64>::new());
        }
        // Two slots and two batches in flight since both became due.
        for at in 4..=5 {
            clock.batch(at * 3_000, &[3]);
            assert_eq!(clock.rest(at * 3_000).0, Vec::<u64>::new(), "{at}");
        }
        clock.batch(18_000, &[3]);
        assert_eq!(clock.rest(18_000).0, [1, 2]);
    }

    #[test]
    fn an_idle_time_without_an_end_is_one() {
        let mut clock = Clock::new(u64::MAX);
        clock.batch(0, &[1]);
        let next = Some(u64::MAX / 1000);
        assert_eq!(clock.rest(u64::from(u32::MAX)), (vec![], next));
        clock.batch(1 << 33, &[2]);
        let mut forgotten = numbers(clock.states.forget());
        forgotten.sort_unstable();
        assert_eq!(forgotten, [1, 2]);
        assert_eq!(clock.rest(1 << 34), (vec![], None));
    }

    #[test]
    fn what_is_spent_waits_for_the_end_of_the_batch() {
        let mut clock = Clock::new(IDLE);
        clock.batch(0, &[1, 2]);
        let Some(Kept::State(state)) = clock.states.take(&follows(1)) else {
            panic!("there is no state");
        };
        clock.states.spend(state);
        let lost = Kept::Lost(Loss::Panicked);
        clock.states.keep(&follows(2), lost);
        assert_eq!(clock.rest(1), (vec![1, 2], Some(IDLE)));
        // Entries of lost states expire like any other.
        assert_eq!(clock.rest(IDLE), (vec![], Some(IDLE + 1_500)));
        assert_eq!(clock.rest(IDLE + 1_500), (vec![], None));
        assert!(clock.states.kept.is_empty());
    }
}
