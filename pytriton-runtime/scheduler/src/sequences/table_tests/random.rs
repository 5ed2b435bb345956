//! Invariants under random operations.

use std::collections::HashMap;

use proptest::prelude::*;
use pytriton_core::request::Sequence;

use super::bench::{Bench, IDLE, TestRequest};
use super::{DIRECT, oldest};

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
    fn every_request_gets_one_response_and_no_slot_is_lost(
        steps in steps(),
        direct: bool,
        slots in 1..4_u32,
    ) {
        let strategy = if direct { DIRECT } else { oldest(0) };
        let mut bench = Bench::new(strategy, 2, slots);
        // The sequence of each request. It is a new one if it starts after its end.
        let mut ids: Vec<(u64, usize)> = Vec::new();
        let mut executed: Vec<u32> = Vec::new();
        let mut running: Vec<(u32, Vec<u32>, Vec<u32>)> = Vec::new();
        let mut last = HashMap::new();
        let mut generations = HashMap::new();
        let mut generations_of = HashMap::new();
        for step in steps {
            match step {
                Step::Ask(id, flags, timeout) => {
                    let follows = Sequence::new(id).unwrap();
                    bench.pass(0);
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
                    let (batch, slots) = bench.take_asked(instance);
                    let numbers: Vec<u32> = batch.iter().map(|asked| asked.number).collect();
                    for &TestRequest { number, generation, .. } in &batch {
                        let id = ids[number as usize];
                        let whose = *generations.entry(generation).or_insert(id);
                        prop_assert_eq!(whose, id, "a generation is one sequence");
                        let which = *generations_of.entry(id).or_insert(generation);
                        prop_assert_eq!(which, generation, "a sequence is one generation");
                        let before = last.insert(id, number);
                        prop_assert!(before < Some(number), "in their order");
                    }
                    executed.extend(&numbers);
                    if !numbers.is_empty() {
                        for (other, _, taken) in &running {
                            let disjoint = taken.iter().all(|slot| !slots.contains(slot));
                            prop_assert!(*other != instance || disjoint, "one after another");
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
                    if bench.remove_cancelled(number) {
                        executed.push(number);
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
                    executed.extend(cleared.iter().map(|asked| asked.number));
                }
                Step::Done(_) | Step::TakeBack(_) => {}
            }
            executed.extend(bench.lost().iter().map(|(number, _)| number));
            prop_assert_eq!(bench.table.len(), ids.len() - executed.len());
        }
        for (instance, _, slots) in running {
            bench.done(instance, &slots);
        }
        let now = bench.clock();
        bench.table.end_all(now);
        executed.extend(bench.run_all().concat());
        executed.extend(bench.lost().iter().map(|(number, _)| number));
        executed.sort_unstable();
        let expected: Vec<u32> = (0..u32::try_from(ids.len()).unwrap()).collect();
        prop_assert_eq!(executed, expected);
        prop_assert_eq!(bench.free(), 2 * slots as usize);
    }
}
