//! Cancelled requests.

use pytriton_core::registry::ModelOptions;

use crate::sequences::slot::KEPT;
use crate::sequences::table::{DropReason, NotStarted};

use super::STRATEGIES;
use super::bench::Bench;

#[test]
fn a_cancelled_request_ends_its_sequence_at_its_position() {
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
                    assert!(bench.remove_cancelled(position));
                    assert!(
                        !bench.remove_cancelled(position),
                        "the request was already removed"
                    );
                    let mut expected: Vec<_> = (0..position).map(|number| vec![number]).collect();
                    expected.push(vec![other]);
                    let case = format!("{strategy:?} {length} {position} {ends}");
                    assert_eq!(bench.run_all(), expected, "{case}");
                    let lost = position + 1..length;
                    let lost: Vec<_> = lost
                        .map(|number| (number, DropReason::EarlierCancelled))
                        .collect();
                    assert_eq!(bench.lost(), lost, "{case}");
                    assert_eq!(bench.ask(1, ""), Err(NotStarted), "{case}");
                    assert_eq!(bench.table.len(), 0);
                }
            }
        }
    }
}

#[test]
fn backlog_requests_before_a_cancelled_one_are_executed() {
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
                assert!(bench.remove_cancelled(1 + position));
                assert_eq!(bench.ask(2, ""), Err(NotStarted));
                let end = bench.ask(1, "E").unwrap();
                let mut expected = vec![vec![0], vec![end]];
                expected.extend((1..=position).map(|number| vec![number]));
                expected.push(vec![other]);
                assert_eq!(bench.run_all(), expected, "{strategy:?} {position} {ends}");
                let lost = position + 2..4;
                let lost: Vec<_> = lost
                    .map(|number| (number, DropReason::EarlierCancelled))
                    .collect();
                assert_eq!(bench.lost(), lost, "{strategy:?} {position}");
                bench.ask(3, "E").unwrap();
                bench.run_all();
                assert_eq!((bench.entries(), bench.free()), (0, 1), "{strategy:?}");
            }
        }
    }
}

#[test]
fn cancelling_a_request_in_the_backlog_keeps_the_timeouts_of_the_others() {
    for strategy in STRATEGIES {
        let (mut bench, slots) = busy(strategy);
        let patient = bench.ask_until(2, "S", Some(500)).unwrap();
        let impatient = bench.ask_until(2, "", Some(100)).unwrap();
        assert!(bench.remove_cancelled(impatient));
        bench.pass(400);
        assert_eq!(bench.lost(), [], "{strategy:?}");
        bench.pass(100);
        assert_eq!(
            bench.lost(),
            [(patient, DropReason::TimedOut)],
            "{strategy:?}"
        );
        bench.done(0, &slots);
        assert_eq!(bench.table.len(), 0);
    }
}

/// A table with one slot, in which a request of sequence 1 is being executed.
fn busy(strategy: ModelOptions<'static>) -> (Bench, Vec<u32>) {
    let mut bench = Bench::new(strategy, 1, 1);
    bench.ask(1, "S").unwrap();
    let (_, slots) = bench.take(0);
    (bench, slots)
}

#[test]
fn requests_behind_a_cancelled_one_fail_at_once() {
    for strategy in STRATEGIES {
        for id in [1, 2] {
            let (mut bench, slots) = busy(strategy);
            let other = bench.ask(3, "S").unwrap();
            let back = bench.ask(id, if id == 1 { "" } else { "S" }).unwrap();
            let behind = bench.ask(id, "E").unwrap();
            assert!(bench.remove_cancelled(back));
            assert_eq!(
                bench.lost(),
                [(behind, DropReason::EarlierCancelled)],
                "{strategy:?}"
            );
            assert_eq!(bench.table.len(), 1);
            assert_eq!(bench.ask(id, ""), Err(NotStarted));
            if id == 2 {
                bench.ask(1, "E").unwrap();
            }
            bench.done(0, &slots);
            assert!(bench.run_all().concat().contains(&other));
        }
    }
}

#[test]
fn sequences_whose_start_is_cancelled_leave_nothing() {
    for strategy in STRATEGIES {
        let (mut bench, _) = busy(strategy);
        let before = bench.entries();
        for id in 0..10_000 {
            let start = bench.ask_until(10 + id, "S", Some(500)).unwrap();
            let behind = bench.ask(10 + id, "").unwrap();
            assert!(bench.remove_cancelled(start));
            assert_eq!(bench.lost(), [(behind, DropReason::EarlierCancelled)]);
        }
        assert_eq!((bench.entries(), bench.table.len()), (before, 0));
    }
}

#[test]
fn a_slot_releases_the_capacity_of_removed_requests() {
    for strategy in STRATEGIES {
        for back in [None, Some(1), Some(4000)] {
            let (mut bench, slots) = busy(strategy);
            for _ in 0..5000 {
                bench.ask(1, "").unwrap();
            }
            if let Some(number) = back {
                assert!(bench.remove_cancelled(number));
            }
            bench.done(0, &slots);
            bench.run_all();
            let capacity = bench.table.instances[&0].slots[0].queue.capacity();
            assert!(capacity <= KEPT, "{strategy:?} {back:?} {capacity}");
        }
    }
}

#[test]
fn cancelled_requests_leave_nothing_behind_an_executing_one() {
    for strategy in STRATEGIES {
        for flags in ["", "S", "E", "SE"] {
            let (mut bench, slots) = busy(strategy);
            let before = bench.entries();
            for _ in 0..10_000 {
                if let Ok(number) = bench.ask(1, flags) {
                    assert!(bench.remove_cancelled(number));
                }
            }
            assert!(bench.entries() <= before, "{strategy:?} {flags}");
            bench.done(0, &slots);
            assert_eq!(
                (bench.entries(), bench.free()),
                (0, 1),
                "{strategy:?} {flags}"
            );
        }
    }
}

#[test]
fn cancelling_the_end_of_a_sequence_does_not_affect_a_later_one_with_the_same_id() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 1);
        bench.ask(1, "S").unwrap();
        bench.run_all();
        let end = bench.ask(1, "E").unwrap();
        let next = bench.ask(1, "S").unwrap();
        assert!(bench.remove_cancelled(end), "{strategy:?}");
        let last = bench.ask(1, "E").unwrap();
        assert_eq!(bench.run_all(), [[next], [last]], "{strategy:?}");
        assert_eq!(bench.lost(), []);
        assert_eq!(bench.free(), 1, "{strategy:?}");
    }
}

#[test]
fn a_request_that_left_the_backlog_can_be_cancelled() {
    for strategy in STRATEGIES {
        let mut bench = Bench::new(strategy, 1, 1);
        bench.ask(1, "SE").unwrap();
        bench.ask(2, "S").unwrap();
        let last = bench.ask(2, "E").unwrap();
        assert_eq!(bench.run(0), [0]);
        // The other sequence has the slot now.
        assert!(bench.remove_cancelled(last));
        assert_eq!(bench.run_all(), [[1]]);
    }
}
