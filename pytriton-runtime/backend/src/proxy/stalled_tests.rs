//! Tests with one stalled instance among several.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Code;
use crate::ffi::{Simulated, SimulatedRequest, exclusive};

use super::Proxy;
use super::simulated_worker::{
    CANCELLED, STALL, SimulatedInstance, TIMEOUT, TOO_LONG, UNAVAILABLE, start,
};

type Instances = Vec<(Simulated<Proxy>, SimulatedInstance)>;

fn instances(name: &str, count: usize, sequential: bool, max_in_flight: u32) -> Instances {
    let started = start(name, (count, 1), (sequential, max_in_flight));
    let simulated = started
        .into_iter()
        .map(|(proxy, instance, worker)| (Simulated::new(proxy, &instance), worker));
    simulated.collect()
}

fn resume(worker: &SimulatedInstance) {
    worker.resume.send(()).unwrap();
    worker.resumed.recv_timeout(TIMEOUT).unwrap();
}

fn failed(code: Code, message: &str) -> Option<Result<f32, (i32, String)>> {
    Some(Err((code as i32, message.to_owned())))
}

#[test]
fn sequence_stays_on_its_instance() {
    let _exclusive = exclusive();
    let ended = |id: u64| {
        let message = format!(
            "sequence {id} of model 'Sum' has ended: its instance does not accept requests"
        );
        failed(Code::Unavailable, &message)
    };
    for count in [2, 3] {
        for stalls_at in 0..3 {
            let instances = instances("bound", count, true, 1);
            let (first, worker) = &instances[0];
            for round in 0..3 {
                let context = format!("{count} instances, request {stalls_at}, round {round}");
                assert_eq!(
                    first.infer(7, "start", 1000.0),
                    Some(Ok(1000.0)),
                    "{context}"
                );
                for (at, flags) in ["start", "", "end"].into_iter().enumerate() {
                    if at == stalls_at {
                        let response = first.infer(5, flags, STALL);
                        assert_eq!(response, failed(Code::Internal, TOO_LONG), "{context}");
                        break;
                    }
                    assert!(
                        first
                            .infer(5, flags, 1.0)
                            .is_some_and(|response| response.is_ok())
                    );
                }
                // A request that continues a sequence, one that starts it, and one that does both.
                assert_eq!(first.infer(7, "", 1.0), ended(7), "{context}");
                assert_eq!(first.infer(9, "start", 10.0), ended(9), "{context}");
                assert_eq!(first.infer(9, "", 1.0), not_started(9), "{context}");
                assert_eq!(first.infer(4, "start end", 10.0), ended(4), "{context}");
                assert!(first.is_ready(), "{context}");
                for (_, other) in &instances[1..] {
                    assert_eq!(other.values.try_iter().count(), 0, "{context}");
                }
                resume(worker);
                assert_eq!(first.infer(7, "", 1.0), not_started(7), "{context}");
                assert_eq!(first.infer(9, "", 1.0), not_started(9), "{context}");
                assert_eq!(first.infer(7, "start", 1.0), Some(Ok(1.0)), "{context}");
                assert_eq!(first.infer(7, "end", 1.0), Some(Ok(2.0)), "{context}");
                assert_eq!(first.infer(9, "start end", 3.0), Some(Ok(3.0)), "{context}");
            }
        }
    }
}

fn not_started(id: u64) -> Option<Result<f32, (i32, String)>> {
    let message = format!(
        "inference request for sequence {id} to model 'Sum' must specify the START flag on the first request of the sequence"
    );
    failed(Code::InvalidArgument, &message)
}

#[test]
fn stateless_batch_moves_to_another_instance() {
    let _exclusive = exclusive();
    for count in [2, 3] {
        let instances = instances("shared", count, false, 1);
        for (stalled, (instance, worker)) in instances.iter().enumerate() {
            assert_eq!(
                instance.infer(0, "", STALL),
                failed(Code::Internal, TOO_LONG)
            );
            assert_eq!(worker.values.try_iter().count(), 1);
            assert_eq!(instance.infer(0, "", 2.0), Some(Ok(2.0)));
            let others = instances.iter().enumerate();
            let others = others.filter(|(index, _)| *index != stalled);
            let executed: usize = others
                .map(|(_, (_, other))| other.values.try_iter().count())
                .sum();
            assert_eq!(executed, 1);
            resume(worker);
        }
    }
}

#[test]
fn cancellation_reaches_the_worker() {
    let _exclusive = exclusive();
    let instances = instances("cancelled", 1, false, 4);
    let (instance, worker) = &instances[0];
    for round in 0..40_u16 {
        let request = SimulatedRequest::new(0, "", CANCELLED);
        instance.execute(&[&request]);
        worker.values.recv_timeout(TIMEOUT).unwrap();
        request.cancelled.store(true, Ordering::Release);
        let begun = Instant::now();
        while request.outcome().is_none() {
            assert!(begun.elapsed() < TIMEOUT, "round {round}");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn model_with_only_stalled_instances_is_unavailable() {
    let _exclusive = exclusive();
    for (sequential, id) in [(true, 5), (false, 0)] {
        let instances = instances("all", 2, sequential, 1);
        for (instance, _) in &instances {
            assert!(instance.is_ready());
            assert_eq!(
                instance.infer(id, "start", STALL),
                failed(Code::Internal, TOO_LONG)
            );
        }
        for (instance, _) in &instances {
            assert!(!instance.is_ready());
            let response = instance.infer(id, "start", 1.0);
            assert_eq!(response, failed(Code::Unavailable, UNAVAILABLE));
        }
        for (instance, worker) in &instances {
            resume(worker);
            assert!(instance.is_ready());
        }
    }
}
