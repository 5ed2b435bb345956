//! Assignment of slots, and batches.

use pytriton_core::model::CallMode;
use pytriton_core::registry::SequenceScheduling;
use pytriton_core::request::Sequence;

use crate::sequences::start_threshold::StartThreshold;
use crate::sequences::table::NotStarted;

use super::bench::{Bench, IDLE, TestRequest};
use super::{DIRECT, STRATEGIES, oldest};

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
fn batch_waits_for_the_required_number_of_requests() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 2, 1);
        bench.table.start_threshold = StartThreshold {
            slots: 3,
            backlog: 1,
        };
        for (id, flags) in [(1, "S"), (2, "S"), (3, "S")] {
            bench.ask(id, flags).unwrap();
        }
        // Two requests have a slot and one is in the backlog.
        assert!(bench.take(0).0.is_empty() && bench.take(1).0.is_empty());
        bench.table.ready();
        bench.ask(2, "").unwrap();
        assert_eq!(bench.table.ready().len(), 2);
        assert_eq!(bench.take(0).0, [0]);
        assert_eq!(bench.take(1).0, [1]);
    }
}

#[test]
fn requests_of_a_sequence_run_in_order() {
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
fn unstackable_request_waits_for_the_next_batch() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 4);
        for (id, flags) in [(1, "S"), (2, "Sx"), (3, "S"), (4, "Sx")] {
            bench.ask(id, flags).unwrap();
        }
        let expected = match strategy.sequence_batching.unwrap() {
            SequenceScheduling::Direct => vec![vec![0, 2], vec![1, 3]],
            // The oldest go first, as far as they fit together.
            _ => vec![vec![0], vec![1], vec![2], vec![3]],
        };
        assert_eq!(bench.run_all(), expected);
    }
}

#[test]
fn unbatched_function_receives_the_oldest_request() {
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
            assert!(bench.remove_cancelled(number));
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "taken back");
            bench.ask(5, "S").unwrap();
            bench.table.absent(0);
            assert_eq!(bench.ask(5, flags), Err(NotStarted), "its instance is gone");
        }
    }
}

#[test]
fn restarted_sequence_keeps_its_slot() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 1);
        let start = Sequence::new(5).unwrap().start(true);
        let asked = |number, bench: &Bench| TestRequest {
            number,
            arrived: bench.clock(),
            shape: 0,
            generation: 0,
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
fn sequences_without_a_slot_wait_in_order() {
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
fn a_slot_that_a_complete_sequence_receives_is_not_that_of_its_successor() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 1);
        bench.ask(9, "SE").unwrap();
        bench.ask(1, "SE").unwrap();
        bench.ask(1, "S").unwrap();
        assert_eq!(bench.run(0), [0]);
        bench.ask(1, "E").unwrap();
        assert_eq!(bench.run_all(), [[1], [2], [3]], "{strategy:?}");
    }
}

#[test]
fn the_first_instance_executes_what_waited_for_it() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 0, 2);
        for id in 1..=3 {
            bench.ask(id, "SE").unwrap();
        }
        bench.instances = 1;
        let now = bench.clock();
        bench.table.enter(0, now);
        let mut executed: Vec<u32> = bench.run_all().concat();
        executed.sort_unstable();
        assert_eq!(executed, [0, 1, 2], "{strategy:?}");
    }
}
