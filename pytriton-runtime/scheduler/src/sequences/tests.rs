//! The queue of sequences with paused time.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use pytriton_core::model::ModelSpec;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::{InferRequest, Request, Response, Sequence, SequenceId};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::statistics::FailureReason;
use pytriton_core::testing::{IDENTITY, TWO, infer_request};
use tokio::sync::watch;
use tokio::task::yield_now;
use tokio::time::{Instant, advance, timeout};

use crate::Policy;
use crate::message::{Batch, Enqueued, Origin};
use crate::queue::Queue;
use crate::reaper::Reaper;
use crate::response_stream::ResponseStream;

use super::table_tests::{DIRECT, oldest};

const MILLISECOND: Duration = Duration::from_millis(1);

const SECOND: Duration = Duration::from_secs(1);

/// One slot, and an idle timeout of one second.
pub(super) const ONE: ModelDeclaration = sequences(DIRECT, 1);

pub(super) const fn sequences(strategy: ModelOptions<'static>, rows: u32) -> ModelDeclaration {
    ModelDeclaration {
        options: ModelOptions {
            max_batch_size: rows,
            ..strategy
        },
        ..IDENTITY
    }
}

pub(super) fn flagged(id: u64, flags: &str, value: f32) -> InferRequest {
    let id = SequenceId::Number(id);
    InferRequest {
        sequence: Sequence::new(id)
            .map(|sequence| sequence.start(flags.contains('S')).end(flags.contains('E'))),
        ..infer_request(1, value)
    }
}

/// A queue without instances. The test takes their role.
struct Bench {
    spec: Arc<ModelSpec>,
    queue: Arc<Queue>,
    _reaper: Option<Reaper>,
}

impl Bench {
    fn new(declaration: &ModelDeclaration) -> Self {
        let spec = Arc::new(declaration.spec().unwrap());
        let queue = Arc::new(Queue::of(&spec, Policy::new(&spec, 4)));
        let sequences = queue.sequences().unwrap();
        (0..spec.instances.count()).for_each(|instance| sequences.arrive(instance));
        Self {
            _reaper: Reaper::start(&queue),
            spec,
            queue,
        }
    }

    fn push(&self, request: InferRequest) -> Result<Enqueued, SchedulerError> {
        let request = Request::check(&self.spec, request).unwrap();
        self.queue.push(request)
    }

    fn ask(&self, id: u64, flags: &str) -> Result<Enqueued, SchedulerError> {
        self.push(flagged(id, flags, 1.0))
    }

    async fn next(&self) -> Batch {
        self.queue.next_batch(0).await.unwrap()
    }

    fn failures(&self) -> [u64; 4] {
        self.queue.recorder().totals(0).failures
    }
}

/// Returns the sequences of the requests in a batch.
fn ids(batch: &Batch) -> Vec<String> {
    let sequences = batch.requests.iter().map(|request| request.sequence());
    sequences
        .map(|sequence| sequence.unwrap().id().to_string())
        .collect()
}

async fn failure(enqueued: Enqueued) -> String {
    let mut enqueued = enqueued;
    let outcome = enqueued.receiver.next().await.unwrap();
    outcome.unwrap_err().to_string()
}

#[tokio::test(start_paused = true)]
async fn request_without_sequence_is_refused_with_tritons_text() {
    let rows = "inference request to model 'Identity' must specify batch-size 1 due to requirements of sequence batcher";
    let none =
        "inference request to model 'Identity' must specify a non-zero or non-empty correlation ID";
    let start = |id: &str| {
        format!(
            "inference request for sequence {id} to model 'Identity' must specify the START flag on the first request of the sequence"
        )
    };
    let two = || InferRequest {
        inputs: infer_request(2, 1.0).inputs,
        ..flagged(5, "", 1.0)
    };
    let text = SequenceId::text("five").unwrap();
    let named = InferRequest {
        sequence: Sequence::new(text).map(|sequence| sequence.end(true)),
        ..flagged(5, "", 1.0)
    };
    let table = [
        // If there are several mistakes, the first is reported.
        (two(), rows.to_owned()),
        (
            InferRequest {
                sequence: None,
                ..two()
            },
            rows.to_owned(),
        ),
        (flagged(0, "S", 1.0), none.to_owned()),
        (flagged(5, "", 1.0), start("5")),
        (flagged(u64::MAX, "E", 1.0), start("18446744073709551615")),
        (named, start("five")),
    ];
    let bench = Bench::new(&sequences(DIRECT, 4));
    for (request, expected) in table {
        let error = bench.push(request).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(
            error.status(),
            pytriton_core::status::Status::InvalidArgument
        );
        assert!(error.is_refusal());
    }
    assert_eq!(bench.failures(), [0; 4], "Triton counts none of them");
}

#[tokio::test(start_paused = true)]
async fn queue_limit_covers_slots_and_backlog() {
    let bench = Bench::new(&ONE);
    for (id, flags) in [(1, "S"), (1, ""), (2, "S"), (3, "S")] {
        bench.ask(id, flags).unwrap();
    }
    assert_eq!(bench.queue.pending(), 4);
    let refused = bench.ask(1, "").unwrap_err();
    assert!(matches!(refused, SchedulerError::QueueFull { .. }));
    let refused = bench.ask(4, "").unwrap_err();
    assert!(matches!(refused, SchedulerError::SequenceNotStarted { .. }));
    let rejected = FailureReason::Rejected as usize;
    assert_eq!(bench.failures()[rejected], 1);
    assert_eq!(ids(&bench.next().await), ["1"]);
    bench.ask(1, "").unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_idle_sequence_frees_its_slot_for_a_waiting_one() {
    for strategy in [DIRECT, oldest(1)] {
        let bench = Bench::new(&sequences(strategy, 1));
        let begun = Instant::now();
        bench.ask(1, "S").unwrap();
        let batch = bench.next().await;
        bench.queue.release(&batch.origin);
        bench.ask(2, "S").unwrap();
        assert_eq!(ids(&bench.next().await), ["2"]);
        assert_eq!(begun.elapsed().as_millis(), 1000);
        assert!(bench.ask(1, "").is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn idle_sequence_expires_at_its_timeout() {
    let bench = Bench::new(&ONE);
    for (passed, known) in [(999, true), (1000, false)] {
        bench.ask(1, "SE").unwrap();
        bench.queue.release(&bench.next().await.origin);
        bench.ask(2, "S").unwrap();
        bench.queue.release(&bench.next().await.origin);
        advance(passed * MILLISECOND).await;
        assert_eq!(bench.ask(2, "E").is_ok(), known, "{passed}");
        if known {
            bench.queue.release(&bench.next().await.origin);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn sequence_expires_with_the_shortest_timeout_of_its_requests() {
    let bench = Bench::new(&ONE);
    bench.ask(1, "S").unwrap();
    let begun = Instant::now();
    let patient = bench.ask(2, "S").unwrap();
    advance(50 * MILLISECOND).await;
    let impatient = bench
        .push(InferRequest {
            timeout_microseconds: 200_000,
            ..flagged(2, "", 1.0)
        })
        .unwrap();
    let expected = "timeout of the corresponding sequence has been expired";
    assert_eq!(failure(patient).await, expected);
    assert_eq!(begun.elapsed().as_millis(), 250);
    assert_eq!(failure(impatient).await, expected);
    assert_eq!(bench.failures()[FailureReason::Rejected as usize], 2);
    assert!(bench.ask(2, "").is_err());
}

#[tokio::test(start_paused = true)]
async fn cancelled_request_ends_its_sequence() {
    let bench = Bench::new(&ONE);
    bench.ask(1, "S").unwrap();
    let batch = bench.next().await;
    let back = bench.ask(1, "").unwrap();
    let other = bench.ask(1, "").unwrap();
    let waiting = bench.ask(2, "SE").unwrap();
    assert!(bench.queue.withdraw(back.ticket, FailureReason::Canceled));
    assert!(!bench.queue.withdraw(back.ticket, FailureReason::Canceled));
    bench.queue.release(&batch.origin);
    let expected =
        "sequence 1 of model 'Identity' has ended: an earlier request of it was cancelled";
    assert_eq!(failure(other).await, expected);
    assert_eq!(bench.failures()[FailureReason::Canceled as usize], 2);
    assert!(bench.ask(1, "").is_err());
    let batch = bench.next().await;
    assert_eq!(ids(&batch), ["2"]);
    drop(waiting);
}

#[tokio::test(start_paused = true)]
async fn stopping_server_refuses_new_sequences() {
    let bench = Bench::new(&ONE);
    bench.ask(1, "S").unwrap();
    bench.ask(2, "S").unwrap();
    bench.queue.sequences().unwrap().refuse_new_sequences();
    for (id, flags) in [(1, "S"), (3, "S"), (3, "SE")] {
        let refused = bench.ask(id, flags).unwrap_err();
        assert_eq!(refused, SchedulerError::Stopping, "{id} {flags}");
    }
    bench.ask(1, "").unwrap();
    bench.queue.close();
    assert_eq!(bench.ask(1, "").unwrap_err(), SchedulerError::Stopping);
    // These have not ended, because ending them is refused.
    for expected in ["1", "1", "2"] {
        let batch = bench.next().await;
        assert_eq!(ids(&batch), [expected]);
        bench.queue.release(&batch.origin);
    }
    assert!(bench.queue.next_batch(0).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn closed_queue_ends_when_its_last_request_is_cancelled() {
    let bench = Bench::new(&ModelDeclaration {
        options: ModelOptions {
            instances: TWO,
            ..ONE.options
        },
        ..ONE
    });
    bench.ask(1, "S").unwrap();
    let executing = bench.next().await;
    let last = bench.ask(1, "").unwrap();
    bench.queue.close();
    let taken_back = async {
        yield_now().await;
        assert!(bench.queue.withdraw(last.ticket, FailureReason::Canceled));
    };
    let other = timeout(SECOND, bench.queue.next_batch(1));
    let (other, ()) = tokio::join!(other, taken_back);
    assert!(other.expect("it hears of it").is_none());
    drop(executing);
}

#[tokio::test]
async fn dropping_a_completed_request_does_not_search_the_queue() {
    let bench = Bench::new(&ONE);
    let enqueued = bench.ask(1, "S").unwrap();
    let (_sender, abandoned) = watch::channel(false);
    let hearing = ResponseStream::new(&bench.queue, enqueued, abandoned);
    for target in bench.next().await.targets {
        target.sink.finish(Ok(Response::default()));
    }
    let (sender, dropped) = mpsc::channel();
    let locked = bench.queue.sequences().unwrap().lock();
    let thread = thread::spawn(move || {
        drop(hearing);
        sender.send(()).unwrap();
    });
    let in_time = dropped.recv_timeout(SECOND);
    drop(locked);
    thread.join().unwrap();
    assert!(in_time.is_ok(), "it waited for the queue");
}

#[tokio::test(start_paused = true)]
async fn a_batch_waits_for_the_requested_number_of_slots() {
    let strategy = ModelOptions {
        max_queue_delay_microseconds: 10_000,
        minimum_slot_utilization: 0.5,
        ..DIRECT
    };
    let bench = Bench::new(&sequences(strategy, 4));
    let begun = Instant::now();
    bench.ask(1, "S").unwrap();
    assert_eq!(ids(&bench.next().await), ["1"]);
    assert_eq!(begun.elapsed().as_millis(), 10);
    let bench = Bench::new(&sequences(strategy, 4));
    let begun = Instant::now();
    for id in [1, 2] {
        bench.ask(id, "S").unwrap();
    }
    assert_eq!(ids(&bench.next().await), ["1", "2"]);
    assert_eq!(begun.elapsed().as_millis(), 0);
}

#[tokio::test(start_paused = true)]
async fn instance_receives_only_its_own_sequences() {
    let bench = Bench::new(&ModelDeclaration {
        options: ModelOptions {
            instances: TWO,
            ..ONE.options
        },
        ..ONE
    });
    for id in [1, 2] {
        bench.ask(id, "S").unwrap();
    }
    for instance in [1, 0] {
        let batch = bench.queue.next_batch(instance).await.unwrap();
        assert_eq!(ids(&batch), [(instance + 1).to_string()]);
        let Origin::Slots {
            instance: of,
            slots,
        } = &batch.origin
        else {
            panic!("{batch:?}");
        };
        assert_eq!((*of, &**slots), (instance, &[0][..]));
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_no_instance_can_serve_are_counted_as_failures() {
    let bench = Bench::new(&ONE);
    let error = SchedulerError::NoInstance {
        model: "Identity".into(),
    };
    bench.queue.refuse(Some(error.clone()));
    for count in 1..3 {
        assert_eq!(bench.ask(1, "S").unwrap_err(), error);
        assert_eq!(bench.failures()[FailureReason::Backend as usize], count);
    }
    bench.queue.refuse(None);
    assert!(bench.ask(1, "S").is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_queue_is_closed_once_and_for_all() {
    let bench = Bench::new(&ONE);
    assert!(!bench.queue.closed());
    bench.queue.close();
    assert!(bench.queue.closed());
}
