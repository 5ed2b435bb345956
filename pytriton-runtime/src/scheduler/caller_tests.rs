//! Functions that are called by whoever brings the request.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use ndarray::Ix2;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::call::{Call, Execution, Instance};
use crate::model::{CallMode, InstanceGroup};
use crate::registry::ModelDeclaration;
use crate::testing::{GATE, IDENTITY, infer_request};

use super::served::{PATIENCE, Served};

/// Returns its input plus a half where it is called on an instance's thread. A first value of -1 panics, -2 is an error,
/// -3 blocks on a future, -4 takes 20 ms, -5 a second, -6 waits for what it spawns.
struct Quick;

static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

impl Instance for Quick {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let mut x = call.array::<f32, Ix2>(0)?.into_owned();
            MOST.fetch_max(
                UNDER_WAY.fetch_add(1, Ordering::SeqCst) + 1,
                Ordering::SeqCst,
            );
            let _leave = Leave;
            match x.first() {
                Some(-1.0) => panic!("asked to panic"),
                Some(-2.0) => return call.outputs(Err::<ndarray::Array2<f32>, _>("asked to fail")),
                Some(-3.0) => drop(GATE.blocking_lock()),
                Some(-4.0) => thread::sleep(Duration::from_millis(20)),
                Some(-5.0) => thread::sleep(Duration::from_secs(1)),
                Some(-6.0) => {
                    let (said, heard) = mpsc::channel();
                    Handle::current().spawn(async move { said.send(()) });
                    let heard = heard.recv_timeout(Duration::from_secs(5));
                    heard.unwrap();
                }
                _ => {}
            }
            let own = thread::current();
            if own.name().is_some_and(|name| name.starts_with("Identity_")) {
                x += 0.5;
            }
            call.outputs(x)
        })
    }

    fn detached(&self) -> Option<Box<dyn Instance + Send + Sync>> {
        Some(Box::new(Self))
    }
}

struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

const QUICK: ModelDeclaration = ModelDeclaration {
    load: |_| Ok(Box::new(Quick)),
    ..IDENTITY
};

/// One test at a time looks at how many calls are under way.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn start(declaration: &ModelDeclaration) -> Served {
    Served::start(declaration, 4096).await
}

async fn ask(served: &Served, rows: usize, value: f32) -> Result<Vec<f32>, String> {
    let answer = served.infer(infer_request(rows, value)).await;
    let response = answer.map_err(|error| error.to_string())?;
    let elements = response.outputs[0].1.elements::<f32>().unwrap();
    Ok(elements.into_owned())
}

/// Asks until the caller is found to be the one who calls.
async fn learn(served: &Served) {
    let begun = Instant::now();
    while ask(served, 1, 7.0).await.unwrap() != [7.0] {
        assert!(begun.elapsed() < PATIENCE);
    }
}

/// Asks with a value on whose call the caller's thread is found to be.
async fn here(served: &Served, value: f32) {
    let begun = Instant::now();
    loop {
        learn(served).await;
        // On a busy machine a quick call may look slow.
        if ask(served, 1, value).await.unwrap() == [value] {
            return;
        }
        assert!(begun.elapsed() < PATIENCE);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quick_function_is_called_where_the_request_is() {
    let _alone = ALONE.lock().await;
    let served = start(&QUICK).await;
    assert_eq!(ask(&served, 1, 7.0).await.unwrap(), [7.5]);
    learn(&served).await;
    let panicked = ask(&served, 1, -1.0).await.unwrap_err();
    assert_eq!(panicked, "model 'Identity' panicked: asked to panic");
    let failed = ask(&served, 2, -2.0).await.unwrap_err();
    assert_eq!(failed, "model 'Identity' failed: asked to fail");
    learn(&served).await;
    let statistics = served.scheduler.statistics();
    assert_eq!(statistics.fail.count, 2);
    assert_eq!(statistics.execution_count, statistics.success.count + 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_turns_slow_is_called_on_its_instance_again() {
    let _alone = ALONE.lock().await;
    let served = start(&QUICK).await;
    here(&served, -4.0).await;
    assert_eq!(ask(&served, 1, -4.0).await.unwrap(), [-3.5]);
    assert_eq!(ask(&served, 1, 7.0).await.unwrap(), [7.5]);
    learn(&served).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_blocks_where_it_must_not_is_called_elsewhere_from_then_on() {
    let _alone = ALONE.lock().await;
    let served = start(&QUICK).await;
    // Neither an error nor on an instance's thread.
    here(&served, -3.0).await;
    for _ in 0..100 {
        assert_eq!(ask(&served, 1, 7.0).await.unwrap(), [7.5]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_waits_for_what_it_spawns_is_answered() {
    let _alone = ALONE.lock().await;
    let served = Arc::new(start(&QUICK).await);
    let asked = tokio::spawn(async move { here(&served, -6.0).await });
    asked.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_slow_now_and_then_holds_up_no_connection() {
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
    let served = Arc::new(start(&QUICK).await);
    let asked = tokio::spawn(async move { here(&served, -5.0).await });
    asked.await.unwrap();
    let longest = client.join().unwrap();
    assert!(longest < Duration::from_millis(500), "{longest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_waits_for_it() {
    let _alone = ALONE.lock().await;
    let served = Arc::new(start(&QUICK).await);
    let asked = tokio::spawn({
        let served = Arc::clone(&served);
        async move {
            learn(&served).await;
            ask(&served, 1, -5.0).await
        }
    });
    let executed = || served.scheduler.statistics().execution_count;
    let mut before = u64::MAX;
    while UNDER_WAY.load(Ordering::SeqCst) == 0 || executed() != before {
        before = executed();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let drained = served
        .scheduler
        .drain(Instant::now() + Duration::from_secs(20));
    assert!(drained.await);
    assert_eq!(UNDER_WAY.load(Ordering::SeqCst), 0);
    asked.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_of_many_gets_its_own_and_no_more_are_called_than_there_are_instances() {
    const ALIKE: [InstanceGroup; 2] = [InstanceGroup::cpu(1); 2];
    let _alone = ALONE.lock().await;
    for (instances, call) in [
        (1, CallMode::Batch),
        (2, CallMode::Batch),
        (2, CallMode::Request),
    ] {
        let served = Arc::new(
            start(&ModelDeclaration {
                instances: &ALIKE[..instances],
                call,
                ..QUICK
            })
            .await,
        );
        learn(&served).await;
        MOST.store(0, Ordering::SeqCst);
        let before = served.scheduler.statistics();
        let mut clients = JoinSet::new();
        for client in 0..16_u16 {
            let served = Arc::clone(&served);
            clients.spawn(async move {
                for number in 0..200_u16 {
                    let value = f32::from(client * 1000 + number);
                    let rows = 1 + usize::from(number % 3);
                    match number {
                        // Whatever is stacked with it fails with it: it goes alone.
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
        assert!(MOST.load(Ordering::SeqCst) <= instances);
        let statistics = served.scheduler.statistics();
        let all = statistics.success.count + statistics.fail.count;
        assert_eq!(all - before.success.count, 16 * 200);
        let deadline = Instant::now() + Duration::from_secs(5);
        assert!(served.scheduler.drain(deadline).await);
        assert!(ask(&served, 1, 1.0).await.is_err());
    }
}
