//! Tests that a session ends when the reading of its responses ends for any reason.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::failure::Code;
use crate::ffi::{SimulatedRequest, exclusive, forwarding_instance};

use super::super::tests::{link_with, until};

#[test]
#[cfg_attr(
    sanitizer = "thread",
    ignore = "it does not see a mutex that belongs to a condition variable"
)]
fn reader_panic_replaces_the_session() {
    let _exclusive = exclusive();
    for batches in [0, 1, 3] {
        let (link, served) = link_with(&format!("panics-{batches}"), 1);
        let server = served.recv().unwrap();
        let (instance, kept, _ready) = forwarding_instance(1);
        let requests: Vec<_> = (0..batches)
            .map(|_| SimulatedRequest::new(0, "", 1.0))
            .collect();
        let session = link.session().unwrap();
        for request in &requests {
            instance.execute(&[request]);
            let entered = session.insert(kept.recv().unwrap(), &[0]);
            assert!(entered.is_ok());
        }
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            session.read(|| panic!("a defect"));
        }));
        panicked.unwrap_err();
        assert!(session.is_closed() && !session.is_ready());
        session.in_flight.wait_below(1);
        let expected = (
            Code::Internal as i32,
            "the thread that reads the model's responses has ended".to_owned(),
        );
        for request in &requests {
            assert_eq!(request.outcome(), Some(Err(expected.clone())));
        }
        until("another session", || link.is_ready());
        drop(server);
        instance.finalize();
        link.stop();
    }
}

#[test]
fn dropped_batch_releases_its_slot() {
    let _exclusive = exclusive();
    let (instance, kept, _ready) = forwarding_instance(1);
    let request = SimulatedRequest::new(0, "", 1.0);
    instance.execute(&[&request]);
    let in_flight = super::InFlight::default();
    let Ok((number, true)) = in_flight.insert(kept.recv().unwrap(), &[0], false) else {
        panic!("it is the only one");
    };
    drop(in_flight.take(number));
    in_flight.wait_below(1);
    assert!(request.outcome().is_some_and(|outcome| outcome.is_err()));
}
