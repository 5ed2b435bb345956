//! Responses that wait for those to earlier requests.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use futures_util::FutureExt;
use ndarray::{Array2, Ix2};
use parking_lot::Mutex;
use pytriton_core::call::{Call, Execution, Instance};
use pytriton_core::maybe_ready::MaybeReady;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::{InferRequest, Request, Response};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::testing::{GATE, IDENTITY, TWO, infer_request};
use tokio::task::coop::{Unconstrained, unconstrained};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use super::served::{MILLISECOND, Outcome, Served};

/// Returns its input. -5 waits for [`GATE`], other negative numbers are errors, and every fourth
/// value from 1000 on takes a while. Batches that are executed inline are counted.
struct Mixed;

static HERE: Mutex<usize> = Mutex::new(0);

impl Instance for Mixed {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<f32, Ix2>(0)?.into_owned();
            let own = thread::current();
            if !own.name().is_some_and(|name| name.starts_with("Identity_")) {
                *HERE.lock() += 1;
            }
            match x[[0, 0]] {
                -5.0 => drop(GATE.blocking_lock()),
                failing if failing < 0.0 => {
                    return call.outputs(Err::<Array2<f32>, _>("asked to fail"));
                }
                value if value >= 1000.0 && value % 4.0 == 0.0 => thread::sleep(MILLISECOND),
                _ => {}
            }
            call.outputs(x)
        })
    }
}

/// Two instances. While one executes a call with -5, the responses of the other are held back.
const ORDERED: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        max_batch_size: 1,
        instances: TWO,
        preserve_ordering: true,
        ..IDENTITY.options
    },
    ..IDENTITY
};

async fn start(queue_size: usize) -> Served {
    Served::start_inline(&ORDERED, queue_size, |_| Mixed).await
}

fn row(columns: u32, value: f32) -> InferRequest {
    let mut request = infer_request(columns as usize, value);
    request.inputs[0].shape = vec![1, i64::from(columns)];
    request
}

impl Served {
    fn request(&self, columns: u32, value: f32) -> Request {
        Request::check(&self.spec, row(columns, value)).unwrap()
    }

    /// Sends a request that blocks an instance, and waits until the instance has it. It is too
    /// large to be executed inline.
    async fn hang(&self) -> JoinHandle<Outcome> {
        let hanging = self.spawn(row(70_000, -5.0));
        self.until(|served| served.scheduler.totals().running == 1)
            .await;
        hanging
    }

    fn held(&self) -> usize {
        self.scheduler.queue.ordered().unwrap().held()
    }
}

#[tokio::test]
async fn response_of_a_disconnected_client_is_dropped_behind_a_stalled_call() {
    for columns in [1, 2000] {
        let served = start(101).await;
        let gate = GATE.lock().await;
        let hanging = served.hang().await;
        for round in 1..=100 {
            let mut going = JoinSet::new();
            for _ in 0..100 {
                let scheduler = Arc::clone(&served.scheduler);
                let request = served.request(columns, 1.0);
                going.spawn(async move { scheduler.infer(request).await });
            }
            let executed = |served: &Served| served.scheduler.totals().success.count;
            served.until(|served| executed(served) == 100 * round).await;
            served.until(|served| served.held() == 100).await;
            assert_eq!(served.resources.budget.reserved() > 0, columns > 1);
            going.shutdown().await;
            assert_eq!((served.held(), served.resources.budget.reserved()), (0, 0));
        }
        drop(gate);
        hanging.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn number_of_held_back_responses_is_limited() {
    let served = start(16).await;
    let gate = GATE.lock().await;
    let hanging = served.hang().await;
    let spawned: Vec<_> = (0..16_u16).map(|_| served.spawn(row(1, 1.0))).collect();
    served.until(|served| served.held() == 16).await;
    let refused = served.spawn(row(1, 1.0)).await.unwrap().unwrap_err();
    assert!(matches!(refused, SchedulerError::QueueFull { .. }));
    assert_eq!(served.scheduler.totals().failures, [1, 0, 0, 0]);
    spawned[7].abort();
    served.until(|served| served.held() == 15).await;
    let last = served.spawn(row(1, 1.0));
    served.until(|served| served.held() == 16).await;
    drop(gate);
    hanging.await.unwrap().unwrap();
    for (number, spawned) in spawned.into_iter().enumerate() {
        assert_eq!(spawned.await.is_err(), number == 7);
    }
    last.await.unwrap().unwrap();
    assert_eq!(served.held(), 0);
}

/// Records the number of a request when its response arrives.
struct Leaving {
    number: u16,
    left: Arc<Mutex<Vec<u16>>>,
}

impl Wake for Leaving {
    fn wake(self: Arc<Self>) {
        self.left.lock().push(self.number);
    }
}

struct PendingInference<'a> {
    number: u16,
    /// Unconstrained, because a cooperative yield would look like a wake-up.
    infer: Unconstrained<MaybeReady<'a, Response, SchedulerError>>,
    waker: Waker,
}

/// Successive requests of several clients, each with a number.
struct Ledger<'a> {
    served: &'a Served,
    waiting: Vec<PendingInference<'a>>,
    left: Arc<Mutex<Vec<u16>>>,
    /// The clients that remain, in the order of their requests.
    expected: Vec<u16>,
    refused: usize,
}

impl<'a> Ledger<'a> {
    fn ask(&mut self, number: u16) {
        let value = f32::from(number) * if number.is_multiple_of(5) { -10.0 } else { 1.0 };
        let left = Arc::clone(&self.left);
        let mut asked = PendingInference {
            number,
            infer: unconstrained(self.served.scheduler.infer(self.served.request(1, value))),
            waker: Arc::new(Leaving { number, left }).into(),
        };
        let mut context = Context::from_waker(&asked.waker);
        match asked.infer.poll_unpin(&mut context) {
            Poll::Ready(Err(SchedulerError::QueueFull { .. })) => {
                self.refused += 1;
                // Another client disconnects.
                self.disconnect(usize::from(number) % self.waiting.len());
                return;
            }
            Poll::Ready(answer) => {
                check(number, answer);
                self.left.lock().push(number);
            }
            Poll::Pending => self.waiting.push(asked),
        }
        self.expected.push(number);
        if number.is_multiple_of(7) && !self.waiting.is_empty() {
            self.disconnect(self.waiting.len() - 1);
        }
    }

    /// Disconnects a client.
    fn disconnect(&mut self, waiting: usize) {
        let disconnected = self.waiting.swap_remove(waiting);
        self.expected
            .retain(|number| *number != disconnected.number);
    }

    /// Returns the remaining clients in the order of their responses.
    fn received(&self) -> Vec<u16> {
        let left = self.left.lock();
        let stays = |number: &u16| self.expected.binary_search(number).is_ok();
        left.iter().copied().filter(stays).collect()
    }
}

#[track_caller]
fn check(number: u16, answer: Outcome) {
    match answer {
        Ok(response) => {
            let elements = response.outputs[0].1.elements::<f32>().unwrap();
            assert_eq!(*elements, [f32::from(number)]);
        }
        Err(error) => {
            let expected = "model 'Identity' failed: asked to fail";
            assert_eq!((error.to_string().as_str(), number % 5), (expected, 0));
        }
    }
}

/// The remaining clients receive their responses in the order of their requests, behind a stalled
/// call or not. Other clients may disconnect, fail, be refused, or execute their requests inline.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn remaining_clients_receive_responses_in_order() {
    let served = start(64).await;
    let gate = GATE.lock().await;
    let before = *HERE.lock();
    let hanging = served.hang().await;
    let mut ledger = Ledger {
        served: &served,
        waiting: Vec::new(),
        left: Arc::default(),
        expected: Vec::new(),
        refused: 0,
    };
    for number in 1..1000 {
        ledger.ask(number);
        if number % 32 == 0 {
            let idle = |served: &Served| served.scheduler.totals().running == 1;
            served.until(idle).await;
        }
    }
    assert!(ledger.refused > 0 && *HERE.lock() > before);
    assert_eq!(ledger.received(), Vec::<u16>::new());
    drop(gate);
    hanging.await.unwrap().unwrap();
    for number in 1000..3000 {
        ledger.ask(number);
        if number % 32 == 0 {
            sleep(MILLISECOND).await;
        }
    }
    served
        .until(|_| ledger.received().len() == ledger.expected.len())
        .await;
    assert_eq!(ledger.received(), ledger.expected);
    for asked in ledger.waiting {
        check(asked.number, asked.infer.await);
    }
    assert_eq!(served.held(), 0);
}
