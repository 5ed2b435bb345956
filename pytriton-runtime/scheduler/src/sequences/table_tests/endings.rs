//! Sequences that end early.

use crate::sequences::strategy::Strategy;
use crate::sequences::table::{DropReason, NotStarted};

use super::STRATEGIES;
use super::bench::{Bench, IDLE};

#[test]
fn an_idle_sequence_releases_its_slot_after_its_waiting_requests() {
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
                // The other sequence waits for the accepted requests.
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
        assert!(bench.ask(2, "").is_ok(), "the sequence has no slot yet");
        bench.pass(IDLE / 2 + 1);
        // The first sequence has been idle and loses its slot.
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
        assert_eq!(
            bench.ask(2, ""),
            Err(NotStarted),
            "the sequence was idle for too long"
        );
        assert_eq!(bench.free(), 1);
    }
}

/// With the direct strategy, a batch of the instance contains all slots. In the backlog, a sequence
/// does not expire.
#[test]
fn a_busy_instance_releases_an_idle_slot_with_its_next_batch() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 2);
        bench.ask(1, "S").unwrap();
        bench.ask(2, "S").unwrap();
        bench.run_all();
        bench.pass(IDLE / 2);
        bench.ask(2, "").unwrap();
        let (numbers, slots) = bench.take(0);
        assert_eq!(numbers, [2]);
        let waits = bench.ask(3, "S").unwrap();
        bench.pass(IDLE / 2 + 1);
        assert_eq!(bench.ask(1, ""), Err(NotStarted));
        bench.pass(IDLE / 2);
        let next = bench.ask(3, "");
        bench.done(0, &slots);
        match bench.table.strategy != Strategy::Oldest {
            true => assert_eq!(bench.run_all(), [vec![waits], vec![next.unwrap()]]),
            false => {
                assert_eq!(next, Err(NotStarted));
                assert_eq!(bench.run_all(), [vec![waits]]);
            }
        }
        bench.pass(IDLE);
        assert_eq!(bench.free(), 2, "{strategy:?}");
    }
}

#[test]
fn a_sequence_waits_no_longer_than_its_shortest_timeout() {
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
                        let all: Vec<_> = (1..=count)
                            .map(|number| (number, DropReason::TimedOut))
                            .collect();
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
        assert_eq!(bench.lost(), [], "a timeout applies only in the backlog");
        assert_eq!(bench.run_all(), [vec![0]]);
    }
}

#[test]
fn a_removed_instance_loses_its_sequences() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 2, 1);
        for (id, flags) in [(1, "S"), (2, "S"), (1, ""), (2, ""), (3, "S")] {
            bench.ask(id, flags).unwrap();
        }
        let (numbers, slots) = bench.take(0);
        assert_eq!(numbers, [0]);
        bench.table.absent(0);
        assert_eq!(bench.lost(), [(2, DropReason::Instance)]);
        assert_eq!(bench.ask(1, ""), Err(NotStarted));
        assert_eq!(bench.run_all(), [vec![1], vec![3]]);
        bench.done(0, &slots);
        assert!(bench.take(0).0.is_empty());
        let again = bench.ask(1, "SE").unwrap();
        let now = bench.clock();
        bench.table.enter(0, now);
        assert_eq!(bench.run(0), [4], "the slot was assigned to the backlog");
        bench.ask(3, "E").unwrap();
        assert_eq!(bench.run_all(), [vec![again + 1], vec![again]]);
        bench.ask(2, "E").unwrap();
        bench.run_all();
        assert_eq!(bench.free(), 2);
    }
}

#[test]
fn clearing_frees_every_slot() {
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
fn waiting_requests_are_served_at_shutdown() {
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
