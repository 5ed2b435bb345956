use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep};

use super::*;
use crate::call::{Call, Execution, Sequenced, Start, Started, Starts};
use crate::registry::{ModelDeclaration, ModelOptions, SequenceScheduling};
use crate::request::{Sequence, SequenceId};
use crate::testing::{IDENTITY, infer_request};

/// Takes the number of seconds in its input.
struct Sleeping(Drops);

/// When states were dropped, in seconds.
type Drops = Rc<RefCell<Vec<(u64, u64)>>>;

struct Dropped {
    sequence: u64,
    begun: Instant,
    drops: Drops,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        let drop = (self.sequence, self.begun.elapsed().as_secs());
        self.drops.borrow_mut().push(drop);
    }
}

impl Instance for Sleeping {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<f32, ndarray::Ix2>(0)?;
            sleep(Duration::from_secs_f32(x[[0, 0]])).await;
            call.outputs(x.into_owned())
        })
    }

    fn is_async(&self) -> bool {
        true
    }
}

impl Starts for Sleeping {
    fn start(&self, start: &Start<'_>) -> Started {
        let SequenceId::Number(sequence) = *start.sequence.id() else {
            panic!("numbers are asked for");
        };
        Ok(Box::new(Dropped {
            sequence,
            begun: Instant::now(),
            drops: Rc::clone(&self.0),
        }))
    }
}

/// A batch: its arrival in seconds, its sequence, its flags, and how long it takes.
type Batch = (u64, u64, &'static str, f32);

/// Batches, and the states dropped with their times.
type Case = (&'static [Batch], &'static [(u64, u64)]);

/// Runs batches, and returns when states were dropped, up to half a minute after the last batch.
async fn served(batches: &[Batch]) -> Vec<(u64, u64)> {
    let declaration = ModelDeclaration {
        options: ModelOptions {
            sequence_batching: Some(SequenceScheduling::Oldest),
            max_sequence_idle_microseconds: 5_000_000,
            max_candidate_sequences: 3,
            max_queue_delay_microseconds: 2_000_000,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let spec = Arc::new(declaration.spec().unwrap());
    let context = Context::new(Arc::clone(&spec), 0);
    let drops = Drops::default();
    let runner: Runner = Runner {
        instance: Box::new(Sequenced::new(&context, Sleeping(Rc::clone(&drops)))),
        context,
        steps: [].into(),
        runtime: Handle::current(),
        supervisor: None,
    };
    let (send, mut receive) = mpsc::unbounded_channel();
    let sending = async {
        let begun = Instant::now();
        for &(at, sequence, flags, takes) in batches {
            sleep_until(begun + Duration::from_secs(at)).await;
            let mut request = infer_request(1, takes);
            let id = SequenceId::Number(sequence);
            let sequence = Sequence::new(id);
            request.sequence = sequence
                .map(|sequence| sequence.start(flags.contains('s')).end(flags.contains('e')));
            send.send(Request::check(&spec, request).unwrap()).unwrap();
        }
        sleep(Duration::from_secs(30)).await;
        drop(send);
    };
    let serving = async {
        while let Some(request) = runner.wait(receive.recv()).await {
            let executed = runner.execute(&[request], &[], None).await;
            executed.results[0].as_ref().unwrap();
        }
    };
    LocalSet::new()
        .run_until(async { tokio::join!(sending, serving) })
        .await;
    drop(runner);
    drops.take()
}

#[tokio::test(start_paused = true)]
async fn expired_states_are_dropped_without_further_requests() {
    let table: [Case; 5] = [
        // Idle for five seconds, plus three in which a request may be forwarded.
        (&[(0, 1, "s", 0.0)], &[(1, 8)]),
        (&[(0, 1, "s", 0.0), (4, 1, "", 0.0)], &[(1, 12)]),
        (&[(0, 1, "s", 0.0), (3, 2, "s", 0.0)], &[(1, 8), (2, 8)]),
        (
            &[(0, 1, "s", 0.0), (3, 2, "s", 0.0), (4, 1, "e", 0.0)],
            &[(1, 4), (2, 8)],
        ),
        // A long call is not idle time of other sequences: it returns at 17.
        (
            &[(0, 1, "s", 0.0), (2, 2, "s", 15.0), (3, 1, "", 0.0)],
            &[(2, 18), (1, 25)],
        ),
    ];
    for (batches, expected) in table {
        assert_eq!(served(batches).await, expected, "{batches:?}");
    }
}
