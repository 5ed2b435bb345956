//! Successive sequences with the same ID, whose requests wait or run concurrently. Each has its own
//! state.

use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ndarray::{Array2, Ix2};
use pytriton_core::call::{
    Call, Execution, Instance, SequenceParameter, Sequenced, Start, Started, Starts,
};
use pytriton_core::model::CallMode;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::Response;
use pytriton_core::testing::IDENTITY;
use tokio::task::{JoinHandle, yield_now};
use tokio::time::{Instant, sleep};

use crate::served::{Outcome, Served};

use super::table_tests::{DIRECT, oldest};
use super::tests::flagged;

static SERIAL: AtomicU16 = AtomicU16::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static LOCK: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A state with a unique serial number, and its number of requests.
struct Account {
    serial: u16,
    requests: u16,
}

impl Drop for Account {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Takes as many milliseconds as the value of a request, and returns the serial number and the
/// count.
struct Accounting;

impl Instance for Accounting {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<f32, Ix2>(0)?;
            thread::sleep(Duration::from_secs_f32(x[[0, 0]] / 1000.0));
            let mut held = <&mut [&mut Account]>::read(call)?;
            let mut accounts = held.reborrow();
            let numbers = accounts.argument().iter_mut().flat_map(|account| {
                account.requests += 1;
                [f32::from(account.serial), f32::from(account.requests)]
            });
            let numbers = numbers.collect();
            call.outputs(
                Array2::from_shape_vec((x.nrows(), 2), numbers)
                    .map_err(|error| call.failed(&error)),
            )
        })
    }
}

impl Starts for Accounting {
    fn start(&self, _: &Start<'_>) -> Started {
        LIVE.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Account {
            serial: SERIAL.fetch_add(1, Ordering::SeqCst),
            requests: 0,
        }))
    }
}

async fn start(strategy: ModelOptions<'static>, call: CallMode, idle: u64) -> Served {
    let declaration = ModelDeclaration {
        options: ModelOptions {
            max_batch_size: 4,
            max_sequence_idle_microseconds: idle,
            ..strategy
        },
        call,
        load: |context| Ok(Box::new(Sequenced::new(context, Accounting))),
        ..IDENTITY
    };
    Served::start(&declaration, 1024).await
}

/// Sends a request and continues as soon as it is in the queue.
async fn ask(served: &Served, id: u64, flags: &str, takes: f32) -> JoinHandle<Outcome> {
    let asked = served.spawn(flagged(id, flags, takes));
    yield_now().await;
    asked
}

/// Returns the serial number of the account and the index of its request.
fn numbers(response: &Response) -> (f32, f32) {
    let numbers = response.outputs[0].1.elements::<f32>().unwrap();
    (numbers[0], numbers[1])
}

const STRATEGIES: [(ModelOptions<'static>, CallMode); 4] = [
    (DIRECT, CallMode::Batch),
    (DIRECT, CallMode::Request),
    (oldest(4), CallMode::Batch),
    (oldest(4), CallMode::Request),
];

/// Returns all valid series of flags that a client may send.
fn mixtures(length: usize) -> Vec<Vec<&'static str>> {
    let mut mixtures = vec![vec![]];
    for _ in 0..length {
        mixtures = mixtures
            .into_iter()
            .flat_map(|mixture: Vec<&'static str>| {
                let active = mixture.last().is_some_and(|last| !last.contains('E'));
                let flags = ["S", "SE"].into_iter();
                let flags = flags.chain(["", "E"].into_iter().filter(move |_| active));
                flags.map(move |flags| [&*mixture, &[flags]].concat())
            })
            .collect();
    }
    mixtures
}

/// Waits until no state is kept.
async fn nothing_is_kept(case: &str) {
    let begun = Instant::now();
    while LIVE.load(Ordering::SeqCst) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(10), "{case}: kept");
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn sequences_with_the_same_id_have_separate_states() {
    let _one = LOCK.lock().await;
    for (strategy, call) in STRATEGIES {
        let served = start(strategy, call, 60_000_000).await;
        for mixture in mixtures(5) {
            // This gives all requests time to arrive, so that the first batches are as large as
            // possible.
            let plug = ask(&served, 99, "SE", 1.0).await;
            let mut asked = Vec::new();
            for flags in &mixture {
                asked.push(ask(&served, 5, flags, 0.05).await);
            }
            if !mixture[4].contains('E') {
                asked.push(ask(&served, 5, "E", 0.0).await);
            }
            plug.await.unwrap().unwrap();
            let (mut serials, mut requests) = (Vec::new(), 0.0);
            for (index, asked) in asked.into_iter().enumerate() {
                let flags = mixture.get(index).unwrap_or(&"E");
                let case = format!("{strategy:?} {call:?} {mixture:?} {index}");
                let (serial, request) = numbers(&asked.await.unwrap().expect(&case));
                if flags.contains('S') {
                    assert!(!serials.contains(&serial), "{case}");
                    serials.push(serial);
                    requests = 0.0;
                }
                requests += 1.0;
                assert_eq!(
                    (Some(&serial), request),
                    (serials.last(), requests),
                    "{case}"
                );
            }
        }
        nothing_is_kept("all have ended").await;
    }
}

#[tokio::test]
async fn state_is_kept_for_accepted_requests() {
    let _one = LOCK.lock().await;
    let served = start(DIRECT, CallMode::Request, 200_000).await;
    ask(&served, 1, "S", 0.0).await.await.unwrap().unwrap();
    // Each is one batch and is executed before the others.
    let mut others = vec![ask(&served, 2, "S", 1.0).await];
    for _ in 0..80 {
        others.push(ask(&served, 2, "", 20.0).await);
    }
    sleep(Duration::from_millis(150)).await;
    let waiting = ask(&served, 1, "E", 0.0).await;
    assert_eq!(numbers(&waiting.await.unwrap().unwrap()).1, 2.0);
    for other in others {
        other.await.unwrap().unwrap();
    }
    // The sequence has not ended.
    nothing_is_kept("it is idle").await;
}

#[tokio::test]
async fn state_is_dropped_with_the_cancelled_request() {
    let _one = LOCK.lock().await;
    for (strategy, call) in STRATEGIES {
        let served = start(strategy, call, 60_000_000).await;
        let first = ask(&served, 1, "S", 20.0).await;
        let back = ask(&served, 1, "", 0.0).await;
        let behind = ask(&served, 1, "", 0.0).await;
        sleep(Duration::from_millis(1)).await;
        back.abort();
        first.await.unwrap().unwrap();
        assert!(behind.await.unwrap().is_err());
        nothing_is_kept("it was taken back").await;
        // The same if only the end was cancelled.
        let first = ask(&served, 1, "S", 20.0).await;
        let back = ask(&served, 1, "E", 0.0).await;
        sleep(Duration::from_millis(1)).await;
        back.abort();
        first.await.unwrap().unwrap();
        nothing_is_kept("its end was taken back").await;
    }
}
