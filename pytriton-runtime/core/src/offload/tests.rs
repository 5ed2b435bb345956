use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::threads::permits;
use super::work::{LONG_WORK_BYTES, long_permits};
use super::{in_place_or_on_thread, mark_blockable, on_thread, report};

/// Runs 20 computations on that many bytes each. Returns the maximum that ran at a time, and how
/// often the calling thread was free meanwhile.
async fn most(bytes: usize) -> (usize, usize) {
    let most = Arc::new(AtomicUsize::new(0));
    let now = Arc::new(AtomicUsize::new(0));
    let works = (0..20).map(|number| {
        let (most, now) = (Arc::clone(&most), Arc::clone(&now));
        on_thread(bytes, move || {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(Duration::from_millis(5));
            now.fetch_sub(1, Ordering::SeqCst);
            number
        })
    });
    let mut done = pin!(futures_util::future::join_all(works));
    let mut turns = 0;
    let done = loop {
        match timeout(Duration::from_millis(1), done.as_mut()).await {
            Ok(done) => break done,
            Err(_) => turns += 1,
        }
    };
    assert_eq!(done, (0..20).collect::<Vec<_>>());
    (most.load(Ordering::SeqCst), turns)
}

#[tokio::test]
async fn concurrency_is_limited_and_the_runtime_is_not_blocked() {
    for (bytes, permits) in [
        (LONG_WORK_BYTES, permits()),
        (LONG_WORK_BYTES + 1, long_permits()),
    ] {
        let (most, turns) = most(bytes).await;
        assert!(most <= permits && turns > 0, "{most}, {turns}");
    }
}

#[tokio::test]
async fn caller_that_is_not_polled_does_not_delay_others() {
    for bytes in [LONG_WORK_BYTES, LONG_WORK_BYTES + 1] {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let receiver = Arc::new(std::sync::Mutex::new(receiver));
        // All threads are busy when the others arrive.
        let busy: Vec<_> = (0..permits())
            .map(|_| {
                let receiver = Arc::clone(&receiver);
                tokio::spawn(on_thread(bytes, move || {
                    receiver.lock().unwrap().recv().is_ok()
                }))
            })
            .collect();
        tokio::task::yield_now().await;
        let mut unpolled: Vec<_> = (0..2 * permits())
            .map(|number| Box::pin(on_thread(bytes, move || number)))
            .collect();
        for unpolled in &mut unpolled {
            assert!(unpolled.as_mut().now_or_never().is_none());
        }
        let other = tokio::spawn(on_thread(bytes, || ()));
        tokio::task::yield_now().await;
        drop(sender);
        timeout(Duration::from_secs(10), other)
            .await
            .unwrap()
            .unwrap();
        for (number, unpolled) in unpolled.into_iter().enumerate() {
            assert_eq!(unpolled.await, number);
        }
        for busy in busy {
            assert!(!busy.await.unwrap());
        }
    }
}

#[tokio::test]
async fn report_does_not_wait_for_long_work() {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let receiver = Arc::new(std::sync::Mutex::new(receiver));
    let held: Vec<_> = (0..4 * permits())
        .map(|_| {
            let receiver = Arc::clone(&receiver);
            tokio::spawn(on_thread(LONG_WORK_BYTES, move || {
                receiver.lock().unwrap().recv().is_ok()
            }))
        })
        .collect();
    let reports = futures_util::future::join_all(
        (0..20).map(|number| report(LONG_WORK_BYTES, move || number)),
    );
    let reports = timeout(Duration::from_secs(10), reports).await.unwrap();
    assert_eq!(reports, (0..20).collect::<Vec<_>>());
    assert!(held.iter().all(|heavy| !heavy.is_finished()));
    drop(sender);
    for heavy in held {
        timeout(Duration::from_secs(10), heavy)
            .await
            .unwrap()
            .unwrap();
    }
}

#[test]
fn blockable_thread_runs_short_work_in_place() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .on_thread_start(mark_blockable)
        .enable_time()
        .build()
        .unwrap();
    let here = || std::thread::current().id();
    // Whether the calling thread did the work. It is the only worker, and another task is served
    // meanwhile.
    let is_itself = async |bytes| {
        let (sender, receiver) = std::sync::mpsc::channel();
        let held = tokio::spawn(async move {
            let before = here();
            let work = move || {
                receiver.recv().unwrap();
                here()
            };
            in_place_or_on_thread(bytes, work).await == before
        });
        let other = tokio::spawn(async move { sender.send(()).unwrap() });
        other.await.unwrap();
        held.await.unwrap()
    };
    let both = async {
        assert!(!is_itself(LONG_WORK_BYTES + 1).await);
        // Other tests may hold all permits for a while.
        while !is_itself(LONG_WORK_BYTES).await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let both = async { timeout(Duration::from_secs(20), both).await };
    runtime.block_on(both).unwrap();
}

#[test]
fn nested_runtime_on_a_blockable_thread_is_not_blocked() {
    let mut builder = Builder::new_multi_thread();
    let blockable = builder.worker_threads(1).on_thread_start(mark_blockable);
    let blockable = blockable.build().unwrap();
    let here = || std::thread::current().id();
    let other = blockable.spawn_blocking(move || {
        let own = Builder::new_current_thread().build().unwrap();
        own.block_on(in_place_or_on_thread(LONG_WORK_BYTES, here)) != here()
    });
    assert!(blockable.block_on(other).unwrap());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn offload_threads_have_a_higher_nice_value() {
    let nice = || rustix::process::getpriority_process(None).unwrap();
    let here = nice();
    assert!(on_thread(LONG_WORK_BYTES, nice).await > here.min(18));
    assert_eq!(report(LONG_WORK_BYTES, nice).await, here);
}

#[tokio::test]
#[should_panic(expected = "of its own")]
async fn panic_is_resumed_in_the_caller() {
    on_thread(1, || panic!("of its own")).await
}
