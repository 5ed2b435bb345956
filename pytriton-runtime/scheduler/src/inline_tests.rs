//! Functions that are called on connection threads.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ndarray::{Array2, Ix2};
use parking_lot::Mutex;
use pytriton_core::call::{Call, Context, Execution, Instance};
use pytriton_core::model::{CallMode, InstanceGroup};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::testing::{GATE, IDENTITY, TWO, infer_request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::served::Served;

/// Returns its input, plus a half on the thread of an instance. Negative first values have a
/// special meaning: -1 panics, -2 is an error, -3 blocks on a future, -4 takes 20 ms, -5 takes a
/// second, and -6 panics with `tokio`'s message about blocking.
struct Quick;

static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
static MAX_UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

impl Instance for Quick {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let mut x = call.array::<f32, Ix2>(0)?.into_owned();
            CALLS.fetch_add(1, Ordering::SeqCst);
            let under_way = UNDER_WAY.fetch_add(1, Ordering::SeqCst) + 1;
            MAX_UNDER_WAY.fetch_max(under_way, Ordering::SeqCst);
            let _leave = Leave;
            match x.first() {
                Some(-1.0) => panic!("asked to panic"),
                Some(-2.0) => return call.outputs(Err::<Array2<f32>, _>("asked to fail")),
                Some(-3.0) => drop(GATE.blocking_lock()),
                Some(-4.0) => thread::sleep(Duration::from_millis(20)),
                Some(-5.0) => thread::sleep(Duration::from_secs(1)),
                Some(-6.0) => panic!("a client said: from within a runtime"),
                _ => {}
            }
            if on_own_thread() {
                x += 0.5;
            }
            call.outputs(x)
        })
    }
}

fn on_own_thread() -> bool {
    let own = thread::current();
    own.name().is_some_and(|name| name.starts_with("Identity_"))
}

struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Serializes the tests that count running calls.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn start(declaration: &ModelDeclaration) -> Served {
    Served::start_inline(declaration, 4096, |_| Quick).await
}

async fn ask(served: &Served, rows: usize, value: f32) -> Result<Vec<f32>, String> {
    let answer = served.infer(infer_request(rows, value)).await;
    let response = answer.map_err(|error| error.to_string())?;
    let elements = response.outputs[0].1.elements::<f32>().unwrap();
    Ok(elements.into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_request_is_executed_on_the_connection_thread() {
    let _alone = ALONE.lock().await;
    let served = start(&IDENTITY).await;
    for _ in 0..100 {
        assert_eq!(ask(&served, 1, 7.0).await.unwrap(), [7.0]);
    }
    let failed = ask(&served, 2, -2.0).await.unwrap_err();
    assert_eq!(failed, "model 'Identity' failed: asked to fail");
    // A slow call is executed inline too, as the option allows.
    assert_eq!(ask(&served, 1, -4.0).await.unwrap(), [-4.0]);
    assert_eq!(ask(&served, 1, 7.0).await.unwrap(), [7.0]);
    let totals = served.scheduler.totals();
    assert_eq!((totals.fail.count, totals.success.count), (1, 102));
    assert_eq!(totals.execution_count, 103);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_option_only_the_threads_of_instances_call_a_function() {
    let _alone = ALONE.lock().await;
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Quick)),
        ..IDENTITY
    };
    let served = Served::start(&declaration, 4096).await;
    for _ in 0..200 {
        assert_eq!(ask(&served, 1, 7.0).await.unwrap(), [7.5]);
    }
}

#[tokio::test]
async fn the_only_thread_that_serves_connections_calls_no_function() {
    let _alone = ALONE.lock().await;
    let served = start(&IDENTITY).await;
    assert_eq!(ask(&served, 1, 7.0).await.unwrap(), [7.5]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_request_is_executed_on_the_thread_of_an_instance() {
    let _alone = ALONE.lock().await;
    let served = start(&IDENTITY).await;
    let mut request = infer_request(70_000, 1.0);
    request.inputs[0].shape = vec![1, 70_000];
    let response = served.infer(request).await.unwrap();
    let elements = response.outputs[0].1.elements::<f32>().unwrap();
    assert!(elements.iter().all(|x| x.to_bits() == 1.5_f32.to_bits()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_panics_is_called_once_and_the_error_names_the_option() {
    let _alone = ALONE.lock().await;
    let served = start(&IDENTITY).await;
    let note = "; note: with `inline = true` the function is called on a thread that serves connections, where it must not block";
    for (value, text) in [
        (-1.0, "asked to panic"),
        (-6.0, "a client said: from within a runtime"),
        (
            -3.0,
            "Cannot block the current thread from within a runtime",
        ),
    ] {
        let before = CALLS.load(Ordering::SeqCst);
        let panicked = ask(&served, 1, value).await.unwrap_err();
        let expected = format!("model 'Identity' panicked: {text}");
        assert!(panicked.starts_with(&expected), "{panicked}");
        assert!(panicked.ends_with(note), "{panicked}");
        assert_eq!(CALLS.load(Ordering::SeqCst), before + 1, "{panicked}");
    }
    assert_eq!(ask(&served, 1, 7.0).await.unwrap(), [7.0]);
    let totals = served.scheduler.totals();
    assert_eq!((totals.fail.count, totals.execution_count), (3, 4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_call_does_not_block_connections() {
    let _alone = ALONE.lock().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut byte = [0];
        while stream.read_exact(&mut byte).await.is_ok() {
            stream.write_all(&byte).await.unwrap();
        }
    });
    let client = thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut longest = Duration::ZERO;
        for _ in 0..30 {
            let begun = std::time::Instant::now();
            stream.write_all(b"x").unwrap();
            stream.read_exact(&mut [0]).unwrap();
            longest = longest.max(begun.elapsed());
            thread::sleep(Duration::from_millis(50));
        }
        longest
    });
    let served = Arc::new(start(&IDENTITY).await);
    let asked = tokio::spawn(async move { ask(&served, 1, -5.0).await });
    assert_eq!(asked.await.unwrap().unwrap(), [-5.0]);
    let longest = client.join().unwrap();
    assert!(longest < Duration::from_millis(500), "{longest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_waits_for_an_inline_call() {
    let _alone = ALONE.lock().await;
    let served = Arc::new(start(&IDENTITY).await);
    let asked = tokio::spawn({
        let served = Arc::clone(&served);
        async move { ask(&served, 1, -5.0).await }
    });
    while UNDER_WAY.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let deadline = Instant::now() + Duration::from_secs(20);
    assert!(served.scheduler.drain(deadline).await);
    assert_eq!(UNDER_WAY.load(Ordering::SeqCst), 0);
    assert_eq!(asked.await.unwrap().unwrap(), [-5.0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_calls_are_limited_by_instances() {
    const ALIKE: [InstanceGroup; 2] = [InstanceGroup::cpu(1); 2];
    let _alone = ALONE.lock().await;
    for (instances, call) in [
        (1, CallMode::Batch),
        (2, CallMode::Batch),
        (2, CallMode::Request),
    ] {
        let served = Arc::new(
            start(&ModelDeclaration {
                options: ModelOptions {
                    instances: &ALIKE[..instances],
                    ..IDENTITY.options
                },
                call,
                ..IDENTITY
            })
            .await,
        );
        MAX_UNDER_WAY.store(0, Ordering::SeqCst);
        let mut clients = JoinSet::new();
        for client in 0..16_u16 {
            let served = Arc::clone(&served);
            clients.spawn(async move {
                for number in 0..200_u16 {
                    let value = f32::from(client * 1000 + number);
                    let rows = 1 + usize::from(number % 3);
                    match number {
                        // This request is sent alone, because requests stacked with it would fail
                        // too.
                        150 if call == CallMode::Request => {
                            ask(&served, rows, -1.0).await.unwrap_err();
                        }
                        _ => {
                            let answer = ask(&served, rows, value).await.unwrap();
                            assert_eq!(answer.len(), rows);
                            let own = |x: &f32| [value, value + 0.5].contains(x);
                            assert!(answer.iter().all(own), "{value}: {answer:?}");
                        }
                    }
                }
            });
        }
        while let Some(client) = clients.join_next().await {
            client.unwrap();
        }
        assert!(MAX_UNDER_WAY.load(Ordering::SeqCst) <= instances);
        let totals = served.scheduler.totals();
        let all = totals.success.count + totals.fail.count;
        assert_eq!(all, 16 * 200);
        let deadline = Instant::now() + Duration::from_secs(5);
        assert!(served.scheduler.drain(deadline).await);
        assert!(ask(&served, 1, 1.0).await.is_err());
    }
}

/// Counts its calls without synchronization, and takes 1 to 40 µs. Returns the index of its
/// instance and the count.
struct Counter {
    instance: f32,
    calls: Cell<f32>,
    busy: AtomicBool,
}

static OVERLAPS: AtomicUsize = AtomicUsize::new(0);
static INLINE: AtomicUsize = AtomicUsize::new(0);

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is a small number"
)]
fn to_u32(number: f32) -> u32 {
    number as u32
}

impl Counter {
    fn load(context: &Context) -> Self {
        Self {
            instance: f32::from(u16::try_from(context.instance()).unwrap()),
            calls: Cell::new(0.0),
            busy: AtomicBool::new(false),
        }
    }
}

impl Instance for Counter {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            if self.busy.swap(true, Ordering::SeqCst) {
                OVERLAPS.fetch_add(1, Ordering::SeqCst);
            }
            if !on_own_thread() {
                INLINE.fetch_add(1, Ordering::SeqCst);
            }
            let count = self.calls.get() + 1.0;
            let begun = std::time::Instant::now();
            while begun.elapsed() < Duration::from_micros(1 + u64::from(to_u32(count) % 40)) {
                std::hint::spin_loop();
            }
            self.calls.set(count);
            self.busy.store(false, Ordering::SeqCst);
            call.outputs(Array2::from_shape_fn((1, 2), |(_, column)| match column {
                0 => self.instance,
                _ => count,
            }))
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn instance_state_is_never_shared_by_concurrent_calls() {
    const CLIENTS: usize = 8;
    const CALLS_OF_EACH: usize = 2_500;
    let declaration = ModelDeclaration {
        options: ModelOptions {
            max_batch_size: 1,
            instances: TWO,
            ..IDENTITY.options
        },
        call: CallMode::Request,
        ..IDENTITY
    };
    let served = Arc::new(Served::start_inline(&declaration, 4096, Counter::load).await);
    let counted: Arc<Mutex<BTreeMap<u32, Vec<u32>>>> = Arc::default();
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (served, counted) = (Arc::clone(&served), Arc::clone(&counted));
        clients.spawn(async move {
            for _ in 0..CALLS_OF_EACH {
                let answer = ask(&served, 1, 1.0).await.unwrap();
                let mut counted = counted.lock();
                let of_instance = counted.entry(to_u32(answer[0])).or_default();
                of_instance.push(to_u32(answer[1]));
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    assert_eq!(OVERLAPS.load(Ordering::SeqCst), 0);
    assert!(INLINE.load(Ordering::SeqCst) > 0);
    let counted = std::mem::take(&mut *counted.lock());
    let calls: usize = counted.values().map(Vec::len).sum();
    assert_eq!((counted.len(), calls), (2, CLIENTS * CALLS_OF_EACH));
    for mut counts in counted.into_values() {
        counts.sort_unstable();
        let expected = (1..).take(counts.len());
        assert!(counts.iter().copied().eq(expected));
    }
}
