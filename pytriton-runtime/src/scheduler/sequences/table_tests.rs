//! The table of sequences and slots, under a clock of the tests' own.

use std::time::Duration;

use proptest::prelude::*;
use tokio::time::Instant;

use crate::model::{CallMode, ModelSpec};
use crate::registry::{ModelDeclaration, SequenceBatchingDeclaration, SequenceStrategyDeclaration};
use crate::request::{Sequence, SequenceId};
use crate::scheduler::Policy;
use crate::testing::IDENTITY;

use super::slot::Queued;
use super::table::{Found, Lost, NotStarted, Table};

pub(super) const DIRECT: SequenceStrategyDeclaration = SequenceStrategyDeclaration::Direct {
    max_queue_delay_microseconds: 0,
    minimum_slot_utilization: 0.0,
};

pub(super) const fn oldest(slots: u32) -> SequenceStrategyDeclaration {
    SequenceStrategyDeclaration::Oldest {
        max_candidate_sequences: slots,
        preferred_batch_size: &[],
        max_queue_delay_microseconds: 0,
        preserve_ordering: false,
    }
}

/// How long a sequence may be idle, in the clock's units.
const IDLE: u64 = 1000;

#[derive(Debug, Clone, Copy)]
struct Asked {
    number: u32,
    arrived: Instant,
    shape: u8,
}

impl Queued for Asked {
    fn arrived(&self) -> Instant {
        self.arrived
    }

    fn goes_with(&self, other: &Self) -> bool {
        self.shape == other.shape
    }
}

/// A table, its clock and the requests that were taken out of it.
struct Bench {
    table: Table<Asked>,
    policy: Policy,
    begun: Instant,
    now: u64,
    next: u32,
    instances: u32,
}

impl Bench {
    /// A table of so many instances with so many slots each.
    fn new(strategy: SequenceStrategyDeclaration, instances: u32, slots: u32) -> Self {
        Self::of(strategy, instances, slots, CallMode::Batch)
    }

    fn of(
        strategy: SequenceStrategyDeclaration,
        instances: u32,
        slots: u32,
        call: CallMode,
    ) -> Self {
        let declaration = ModelDeclaration {
            max_batch_size: slots,
            call,
            sequence_batching: Some(SequenceBatchingDeclaration {
                max_sequence_idle_microseconds: IDLE,
                strategy,
            }),
            ..IDENTITY
        };
        let spec: ModelSpec = declaration.spec().unwrap();
        let mut bench = Self {
            table: Table::new(&spec, spec.sequence_batching.as_ref().unwrap()),
            policy: Policy::new(&spec, 4),
            begun: Instant::now(),
            now: 0,
            next: 0,
            instances,
        };
        for instance in 0..instances {
            bench.table.enter(instance, bench.clock());
        }
        bench
    }

    fn clock(&self) -> Instant {
        self.begun + Duration::from_micros(self.now)
    }

    fn ask(&mut self, id: u64, flags: &str) -> Result<u32, NotStarted> {
        self.ask_until(id, flags, None)
    }

    /// Asks, with the flags `S` and `E`, and the shape `x`; returns the request's number.
    fn ask_until(&mut self, id: u64, flags: &str, timeout: Option<u64>) -> Result<u32, NotStarted> {
        let now = self.clock();
        let id = SequenceId::Number(id);
        let sequence = Sequence::new(id, flags.contains('S'), flags.contains('E')).unwrap();
        self.table.expire(now);
        self.table.check(&sequence)?;
        let number = self.next;
        self.next += 1;
        let asked = Asked {
            number,
            arrived: now,
            shape: u8::from(flags.contains('x')),
        };
        let deadline = timeout.map(|timeout| now + Duration::from_micros(timeout));
        self.table.push(&sequence, asked, deadline, now);
        Ok(number)
    }

    /// The numbers of an instance's next batch, and their slots.
    fn take(&mut self, instance: u32) -> (Vec<u32>, Vec<u32>) {
        let now = self.clock();
        match self.table.take(instance, &self.policy, false, now) {
            Found::Look(_) => (Vec::new(), Vec::new()),
            Found::Batch(batch) => {
                let slots = batch.iter().map(|(slot, _)| *slot).collect();
                let numbers = batch.iter().map(|(_, asked)| asked.number).collect();
                (numbers, slots)
            }
        }
    }

    fn done(&mut self, instance: u32, slots: &[u32]) {
        let now = self.clock();
        self.table.executed(instance, slots, now);
    }

    /// Executes the next batch of an instance.
    fn run(&mut self, instance: u32) -> Vec<u32> {
        let (numbers, slots) = self.take(instance);
        if !numbers.is_empty() {
            self.done(instance, &slots);
        }
        numbers
    }

    /// Executes all that can be, and says what was executed together.
    fn run_all(&mut self) -> Vec<Vec<u32>> {
        let mut batches = Vec::new();
        loop {
            let before = batches.len();
            for instance in 0..self.instances {
                let batch = self.run(instance);
                batches.extend((!batch.is_empty()).then_some(batch));
            }
            if batches.len() == before {
                return batches;
            }
        }
    }

    fn take_back(&mut self, number: u32) -> bool {
        let now = self.clock();
        let taken = self.table.take_back(|asked| asked.number == number, now);
        taken.is_some()
    }

    fn pass(&mut self, microseconds: u64) {
        self.now += microseconds;
        let now = self.clock();
        self.table.expire(now);
    }

    fn lost(&mut self) -> Vec<(u32, Lost)> {
        let lost = self.table.lost().into_iter();
        lost.map(|(asked, why)| (asked.number, why)).collect()
    }

    /// How many slots are free.
    fn free(&mut self) -> usize {
        let (mut free, first) = (0, 1 << 40);
        let waiting = self.table.len();
        let mut asked = Vec::new();
        // What does not get a slot cannot be executed.
        for id in first..first + 100 {
            asked.push(self.ask(id, "SE").unwrap());
        }
        for instance in 0..self.instances {
            while let (numbers, slots) = self.take(instance)
                && !numbers.is_empty()
            {
                free += numbers.len();
                // Executed for ever: the slot is given to the next, which waits.
                drop(slots);
            }
        }
        for number in asked {
            self.take_back(number);
        }
        assert!(self.table.len() <= waiting);
        free
    }
}

const STRATEGIES: [SequenceStrategyDeclaration; 2] = [DIRECT, oldest(0)];

#[test]
fn the_lowest_slots_are_given_away_first_and_one_of_each_instance() {
    for strategy in STRATEGIES {
        for (instances, slots) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (3, 2)] {
            let mut bench = Bench::new(strategy, instances, slots);
            let all = instances * slots;
            for id in 0..all + 2 {
                bench.ask(u64::from(id) + 1, "S").unwrap();
            }
            for instance in 0..instances {
                let expected: Vec<u32> =
                    (0..slots).map(|slot| slot * instances + instance).collect();
                let (numbers, taken) = bench.take(instance);
                assert_eq!(numbers, expected, "{instances} {slots} {strategy:?}");
                assert_eq!(taken, (0..slots).collect::<Vec<_>>());
            }
            assert_eq!(bench.table.len(), 2);
        }
    }
}

#[test]
fn requests_of_a_sequence_run_one_after_another() {
    for strategy in STRATEGIES {
        for length in 1..5_u32 {
            let mut bench = Bench::new(strategy, 2, 4);
            for position in 0..length {
                let start = if position == 0 { "S" } else { "" };
                let end = if position + 1 == length { "E" } else { "" };
                bench.ask(7, &format!("{start}{end}")).unwrap();
            }
            for number in 0..length {
                let (numbers, slots) = bench.take(0);
                assert_eq!((numbers, &*slots), (vec![number], &[0][..]));
                assert!(bench.take(0).0.is_empty());
                assert!(bench.take(1).0.is_empty());
                bench.done(0, &slots);
            }
            assert_eq!(bench.table.len(), 0);
            assert_eq!(bench.ask(7, ""), Err(NotStarted));
        }
    }
}

#[test]
fn interleaved_sequences_share_batches() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 3);
        for flags in ["S", "", "E"] {
            for id in 1..=3 {
                bench.ask(id, flags).unwrap();
            }
        }
        let expected = [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8]];
        assert_eq!(bench.run_all(), expected, "{strategy:?}");
    }
}

#[test]
fn what_does_not_stack_waits_for_the_next_batch() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 4);
        for (id, flags) in [(1, "S"), (2, "Sx"), (3, "S"), (4, "Sx")] {
            bench.ask(id, flags).unwrap();
        }
        let expected = match strategy {
            SequenceStrategyDeclaration::Direct { .. } => vec![vec![0, 2], vec![1, 3]],
            // The oldest go first, as far as they go together.
            SequenceStrategyDeclaration::Oldest { .. } => vec![vec![0], vec![1], vec![2], vec![3]],
        };
        assert_eq!(bench.run_all(), expected);
    }
}

#[test]
fn a_function_that_takes_one_request_gets_the_one_that_has_waited_longest() {
    for strategy in STRATEGIES {
        let mut bench = Bench::of(strategy, 1, 3, CallMode::Request);
        for (id, flags) in [(1, "S"), (2, "S"), (3, "S")] {
            bench.ask(id, flags).unwrap();
            bench.pass(1);
        }
        bench.ask(1, "").unwrap();
        assert_eq!(bench.run_all(), [vec![0], vec![1], vec![2], vec![3]]);
    }
}

#[test]
fn the_direct_strategy_executes_one_batch_at_a_time() {
    for (strategy, at_once) in [(DIRECT, false), (oldest(4), true)] {
        let mut bench = Bench::new(strategy, 1, 4);
        bench.ask(1, "S").unwrap();
        let (_, slots) = bench.take(0);
        bench.ask(2, "S").unwrap();
        assert_eq!(bench.take(0).0 == [1], at_once);
        bench.done(0, &slots);
        assert_eq!(bench.take(0).0 == [1], !at_once);
    }
}

#[test]
fn an_unknown_sequence_must_start() {
    for strategy in STRATEGIES {
        for flags in ["", "E"] {
            let mut bench = Bench::new(strategy, 1, 2);
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "never started");
            bench.ask(5, "S").unwrap();
            bench.ask(5, "E").unwrap();
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "its end has come");
            bench.run_all();
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "it has ended");
            bench.ask(5, "SE").unwrap();
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "started and ended");
            bench.ask(5, "S").unwrap();
            bench.pass(IDLE - 1);
            bench.ask(5, "").unwrap();
            bench.pass(IDLE);
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "idle");
            bench.run_all();
            let number = bench.ask(5, "S").unwrap();
            assert!(bench.take_back(number));
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "taken back");
            bench.ask(5, "S").unwrap();
            bench.table.absent(0);
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "its instance is gone");
        }
    }
}

#[test]
fn a_sequence_that_starts_anew_goes_on_in_its_slot() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 1);
        let start = Sequence::new(SequenceId::Number(5), true, false).unwrap();
        let asked = |number, bench: &Bench| Asked {
            number,
            arrived: bench.clock(),
            shape: 0,
        };
        let now = bench.clock();
        for (number, again) in [(0, false), (1, true), (2, true)] {
            let request = asked(number, &bench);
            assert_eq!(bench.table.push(&start, request, None, now), again);
        }
        assert_eq!(bench.run_all(), [vec![0], vec![1], vec![2]]);
        let request = asked(3, &bench);
        assert!(bench.table.push(&start, request, None, now));
        bench.run_all();
        assert_eq!(bench.free(), 0);
    }
}

#[test]
fn more_sequences_than_slots_wait_in_their_order() {
    for strategy in STRATEGIES {
        for waiting in [0, 1, 2, 5] {
            let mut bench = Bench::new(strategy, 1, 1);
            bench.ask(1, "S").unwrap();
            for id in 2..2 + waiting {
                bench.ask(id, "S").unwrap();
            }
            for id in (2..2 + waiting).rev() {
                bench.ask(id, "E").unwrap();
            }
            let last = bench.ask(1, "E").unwrap();
            let mut expected = vec![vec![0], vec![last]];
            let (starts, ends) = (1..=u32::try_from(waiting).unwrap(), last);
            expected.extend(starts.flat_map(|start| [vec![start], vec![ends - start]]));
            assert_eq!(bench.run_all(), expected, "{strategy:?} {waiting}");
        }
    }
}

#[test]
fn a_sequence_in_the_backlog_may_end_and_start_again() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 1);
        bench.ask(1, "S").unwrap();
        for flags in ["S", "E", "S", "", "E", "SE"] {
            bench.ask(2, flags).unwrap();
        }
        assert_eq!(bench.run_all(), [vec![0]]);
        bench.ask(1, "E").unwrap();
        let expected = [7, 1, 2, 3, 4, 5, 6].map(|number| vec![number]);
        assert_eq!(bench.run_all(), expected);
    }
}

#[test]
fn an_idle_sequence_gives_its_slot_back_behind_what_waits() {
    for strategy in STRATEGIES {
        for requests in [1, 2, 3] {
            for executing in [false, true] {
                let mut bench = Bench::new(strategy, 1, 1);
                bench.ask(1, "S").unwrap();
                for _ in 1..requests {
                    bench.ask(1, "").unwrap();
                }
                let slots = match executing {
                    true => bench.take(0).1,
                    false => Vec::new(),
                };
                bench.pass(IDLE);
                // The other one has to wait for what was accepted.
                let other = bench.ask(2, "S").unwrap();
                if executing {
                    bench.done(0, &slots);
                }
                let first = u32::from(executing);
                let expected: Vec<Vec<u32>> = (first..=other).map(|number| vec![number]).collect();
                assert_eq!(
                    bench.run_all(),
                    expected,
                    "{strategy:?} {requests} {executing}"
                );
            }
        }
    }
}

#[test]
fn a_sequence_is_idle_while_it_waits_for_a_slot() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 1);
        bench.ask(1, "S").unwrap();
        bench.run_all();
        bench.pass(IDLE / 2);
        bench.ask(1, "").unwrap();
        bench.ask(2, "S").unwrap();
        bench.pass(IDLE / 2);
        bench.ask(1, "").unwrap();
        bench.pass(IDLE / 2);
        assert!(bench.ask(2, "").is_ok(), "it has no slot yet");
        bench.pass(IDLE / 2 + 1);
        // The first has been idle, and gives its slot away.
        assert_eq!(bench.run_all().len(), 4);
        bench.pass(IDLE / 2);
        assert_eq!(bench.ask(2, ""), Err(NotStarted));
        let mut bench = Bench::new(strategy, 1, 1);
        bench.ask(1, "S").unwrap();
        bench.ask(2, "S").unwrap();
        bench.pass(IDLE - 1);
        bench.ask(1, "").unwrap();
        bench.pass(IDLE - 1);
        let last = bench.ask(1, "E").unwrap();
        assert_eq!(bench.run_all(), [vec![0], vec![2], vec![last], vec![1]]);
        assert_eq!(bench.ask(2, ""), Err(NotStarted), "it waited too long");
        assert_eq!(bench.free(), 1);
    }
}

#[test]
fn a_sequence_waits_no_longer_than_its_most_impatient_request() {
    let tables = [
        (vec![None], None),
        (vec![Some(50)], Some(50)),
        (vec![Some(50), None], Some(50)),
        (vec![None, Some(50)], Some(50)),
        (vec![Some(80), Some(50), Some(60)], Some(50)),
        (vec![Some(50), Some(80), None], Some(50)),
    ];
    for strategy in STRATEGIES {
        for (timeouts, expected) in &tables {
            for ends in [false, true] {
                let mut bench = Bench::new(strategy, 1, 1);
                bench.ask(1, "S").unwrap();
                for (position, timeout) in timeouts.iter().enumerate() {
                    let start = if position == 0 { "S" } else { "" };
                    let end = if ends && position + 1 == timeouts.len() {
                        "E"
                    } else {
                        ""
                    };
                    let flags = format!("{start}{end}");
                    bench.ask_until(2, &flags, *timeout).unwrap();
                }
                let patient = bench.ask_until(3, "S", Some(500)).unwrap();
                bench.pass(49);
                assert_eq!(bench.lost(), []);
                bench.pass(1);
                let lost = bench.lost();
                let count = u32::try_from(timeouts.len()).unwrap();
                match expected {
                    None => assert_eq!(lost, []),
                    Some(_) => {
                        let all: Vec<_> = (1..=count).map(|number| (number, Lost::Late)).collect();
                        assert_eq!(lost, all, "{strategy:?} {timeouts:?}");
                        assert_eq!(bench.ask(2, ""), Err(NotStarted));
                    }
                }
                bench.ask(1, "E").unwrap();
                let ran: Vec<u32> = bench.run_all().concat();
                assert_eq!(ran.contains(&patient), ends || expected.is_some());
            }
        }
        let mut bench = Bench::new(strategy, 1, 1);
        bench.ask_until(1, "S", Some(50)).unwrap();
        bench.pass(60);
        assert_eq!(bench.lost(), [], "in a slot it may wait");
        assert_eq!(bench.run_all(), [vec![0]]);
    }
}

#[test]
fn a_request_that_is_taken_back_ends_its_sequence_where_it_stood() {
    for strategy in STRATEGIES {
        for length in 1..5_u32 {
            for position in 0..length {
                for ends in [false, true] {
                    let mut bench = Bench::new(strategy, 1, 1);
                    for number in 0..length {
                        let start = if number == 0 { "S" } else { "" };
                        let end = if ends && number + 1 == length {
                            "E"
                        } else {
                            ""
                        };
                        bench.ask(1, &format!("{start}{end}")).unwrap();
                    }
                    let other = bench.ask(2, "S").unwrap();
                    assert!(bench.take_back(position));
                    assert!(!bench.take_back(position), "it is gone");
                    let mut expected: Vec<_> = (0..position).map(|number| vec![number]).collect();
                    expected.push(vec![other]);
                    let case = format!("{strategy:?} {length} {position} {ends}");
                    assert_eq!(bench.run_all(), expected, "{case}");
                    let lost = position + 1..length;
                    let lost: Vec<_> = lost.map(|number| (number, Lost::TakenBack)).collect();
                    assert_eq!(bench.lost(), lost, "{case}");
                    assert_eq!(bench.ask(1, ""), Err(NotStarted), "{case}");
                    assert_eq!(bench.table.len(), 0);
                }
            }
        }
    }
}

#[test]
fn a_sequence_of_the_backlog_of_which_a_request_is_taken_back_gets_no_slot() {
    for strategy in STRATEGIES {
        for position in 0..3 {
            for ends in [false, true] {
                let mut bench = Bench::new(strategy, 1, 1);
                bench.ask(1, "S").unwrap();
                let last = if ends { "E" } else { "" };
                for flags in ["S", "", last] {
                    bench.ask(2, flags).unwrap();
                }
                let other = bench.ask(3, "S").unwrap();
                assert!(bench.take_back(1 + position));
                let end = bench.ask(1, "E").unwrap();
                assert_eq!(bench.run_all(), [vec![0], vec![end], vec![other]]);
                let lost: Vec<u32> = bench.lost().into_iter().map(|(number, _)| number).collect();
                let expected: Vec<u32> = (1..4).filter(|number| *number != 1 + position).collect();
                assert_eq!(lost, expected, "{strategy:?} {position}");
                assert_eq!(bench.ask(2, ""), Err(NotStarted));
            }
        }
    }
}

#[test]
fn an_instance_that_is_gone_takes_its_sequences_with_it() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 2, 1);
        for (id, flags) in [(1, "S"), (2, "S"), (1, ""), (2, ""), (3, "S")] {
            bench.ask(id, flags).unwrap();
        }
        let (numbers, slots) = bench.take(0);
        assert_eq!(numbers, [0]);
        bench.table.absent(0);
        assert_eq!(bench.lost(), [(2, Lost::Instance)]);
        assert_eq!(bench.ask(1, ""), Err(NotStarted));
        assert_eq!(bench.run_all(), [vec![1], vec![3]]);
        bench.done(0, &slots);
        assert!(bench.take(0).0.is_empty());
        let again = bench.ask(1, "SE").unwrap();
        let now = bench.clock();
        bench.table.enter(0, now);
        assert_eq!(bench.run(0), [4], "the backlog has the slot now");
        bench.ask(3, "E").unwrap();
        assert_eq!(bench.run_all(), [vec![again + 1], vec![again]]);
        bench.ask(2, "E").unwrap();
        bench.run_all();
        assert_eq!(bench.free(), 2);
    }
}

#[test]
fn what_is_cleared_leaves_every_slot_free() {
    for strategy in STRATEGIES {
        for executing in [false, true] {
            let mut bench = Bench::new(strategy, 2, 2);
            for id in 1..=6 {
                bench.ask(id, "S").unwrap();
            }
            for (id, flags) in [(1, "E"), (2, ""), (5, "E")] {
                bench.ask(id, flags).unwrap();
            }
            let taken = match executing {
                true => (bench.take(0), bench.take(1)),
                false => Default::default(),
            };
            let now = bench.clock();
            let cleared = bench.table.clear(now).len();
            let ran = taken.0.0.len() + taken.1.0.len();
            assert_eq!((cleared + ran, bench.table.len()), (9, 0), "{strategy:?}");
            for (instance, (numbers, slots)) in [(0, taken.0), (1, taken.1)] {
                if !numbers.is_empty() {
                    bench.done(instance, &slots);
                }
            }
            assert_eq!(bench.ask(2, ""), Err(NotStarted));
            assert_eq!(bench.free(), 4, "{strategy:?} {executing}");
        }
    }
}

#[test]
fn when_all_ends_what_waits_is_served() {
    for strategy in STRATEGIES {
        for sequences in [0, 1, 2, 9_u32] {
            let mut bench = Bench::new(strategy, 1, 1);
            for id in 1..=sequences {
                bench.ask(id.into(), "S").unwrap();
                bench.ask(id.into(), "").unwrap();
            }
            let now = bench.clock();
            bench.table.end_all(now);
            let expected: Vec<u32> = (0..2 * sequences).collect();
            assert_eq!(bench.run_all().concat(), expected);
            assert_eq!(bench.free(), 1);
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Ask(u64, &'static str, Option<u64>),
    Run(u32),
    Done(usize),
    TakeBack(usize),
    Pass(u64),
    Absent(u32),
    Clear,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let flags = prop::sample::select(vec!["", "S", "E", "SE", "x", "Sx"]);
    let timeout = prop::option::of(1..IDLE);
    let step = prop_oneof![
        8 => (1..8_u64, flags, timeout).prop_map(|(id, flags, timeout)| Step::Ask(id, flags, timeout)),
        6 => (0..2_u32).prop_map(Step::Run),
        6 => any::<usize>().prop_map(Step::Done),
        2 => any::<usize>().prop_map(Step::TakeBack),
        2 => (0..IDLE).prop_map(Step::Pass),
        1 => (0..2_u32).prop_map(Step::Absent),
        1 => Just(Step::Clear),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    #[test]
    fn whatever_happens_each_request_is_told_once_and_no_slot_is_lost(
        steps in steps(),
        direct: bool,
        slots in 1..4_u32,
    ) {
        let strategy = if direct { DIRECT } else { oldest(0) };
        let mut bench = Bench::new(strategy, 2, slots);
        // Of each request the sequence, which is another one when it starts after its end.
        let mut ids: Vec<(u64, usize)> = Vec::new();
        let mut told: Vec<u32> = Vec::new();
        let mut running: Vec<(u32, Vec<u32>, Vec<u32>)> = Vec::new();
        let mut last = std::collections::HashMap::new();
        for step in steps {
            match step {
                Step::Ask(id, flags, timeout) => {
                    let follows = Sequence::new(SequenceId::Number(id), false, false).unwrap();
                    let goes_on = bench.table.check(&follows).is_ok();
                    let before = ids.iter().rev().find(|(other, _)| *other == id);
                    let sequence = match before {
                        Some(&sequence) if goes_on => sequence,
                        _ => (id, ids.len()),
                    };
                    if bench.ask_until(id, flags, timeout).is_ok() {
                        ids.push(sequence);
                    }
                }
                Step::Run(instance) => {
                    let (numbers, slots) = bench.take(instance);
                    for &number in &numbers {
                        let id = ids[number as usize];
                        let before = last.insert(id, number);
                        prop_assert!(before < Some(number), "in their order");
                    }
                    told.extend(&numbers);
                    if !numbers.is_empty() {
                        for (other, _, taken) in &running {
                            let apart = taken.iter().all(|slot| !slots.contains(slot));
                            prop_assert!(*other != instance || apart, "one after another");
                        }
                        running.push((instance, numbers, slots));
                    }
                }
                Step::Done(which) if !running.is_empty() => {
                    let (instance, _, slots) = running.swap_remove(which % running.len());
                    bench.done(instance, &slots);
                }
                Step::TakeBack(which) if !ids.is_empty() => {
                    let number = u32::try_from(which % ids.len()).unwrap();
                    if bench.take_back(number) {
                        told.push(number);
                    }
                }
                Step::Pass(microseconds) => bench.pass(microseconds),
                Step::Absent(instance) => {
                    let now = bench.clock();
                    bench.table.absent(instance);
                    bench.table.enter(instance, now);
                }
                Step::Clear => {
                    let now = bench.clock();
                    let cleared = bench.table.clear(now);
                    told.extend(cleared.iter().map(|asked| asked.number));
                }
                Step::Done(_) | Step::TakeBack(_) => {}
            }
            told.extend(bench.lost().iter().map(|(number, _)| number));
            prop_assert_eq!(bench.table.len(), ids.len() - told.len());
        }
        for (instance, _, slots) in running {
            bench.done(instance, &slots);
        }
        let now = bench.clock();
        bench.table.end_all(now);
        told.extend(bench.run_all().concat());
        told.extend(bench.lost().iter().map(|(number, _)| number));
        told.sort_unstable();
        let expected: Vec<u32> = (0..u32::try_from(ids.len()).unwrap()).collect();
        prop_assert_eq!(told, expected);
        prop_assert_eq!(bench.free(), 2 * slots as usize);
    }
}
