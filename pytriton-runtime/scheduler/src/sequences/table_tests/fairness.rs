//! Order of sequences with the direct strategy.

use pytriton_core::model::CallMode;

use super::DIRECT;
use super::bench::Bench;

/// A client that sends the requests of its sequence ahead, and another one that arrives later.
fn ahead(call: CallMode, flags: [&str; 2]) -> Bench {
    let mut bench = Bench::of(DIRECT, 1, 2, call);
    bench.ask(1, flags[0]).unwrap();
    for _ in 0..3 {
        bench.ask(1, flags[1]).unwrap();
    }
    bench.pass(1);
    bench.ask(2, "S").unwrap();
    bench
}

#[test]
fn pipelined_request_is_ordered_by_when_it_becomes_next() {
    let mut bench = ahead(CallMode::Request, ["S", ""]);
    assert_eq!(bench.run_all().concat(), [0, 4, 1, 2, 3]);
}

#[test]
fn different_shape_does_not_exclude_other_sequences() {
    let mut bench = ahead(CallMode::Batch, ["Sx", "x"]);
    assert_eq!(bench.run_all().concat(), [0, 4, 1, 2, 3]);
}

#[test]
fn pipelined_sequences_alternate() {
    let mut bench = Bench::of(DIRECT, 1, 2, CallMode::Request);
    for (id, flags) in [(1, "S"), (1, ""), (1, "E"), (2, "S"), (2, ""), (2, "E")] {
        bench.ask(id, flags).unwrap();
    }
    assert_eq!(bench.run_all().concat(), [0, 3, 1, 4, 2, 5]);
}
