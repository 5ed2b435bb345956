//! Connection and stream timeouts, tested with paused time.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use http::Version;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::MinRate;
use crate::server::connection_state::{ConnectionState, IdleReason, Liveness};
use crate::server::stream_handle::OpenStream;
use crate::server::timeouts::Timeouts;

const TIMEOUTS: Timeouts = Timeouts {
    idle: Duration::from_secs(75),
    response: MinRate {
        pause: Duration::from_secs(20),
        bytes_per_second: 16 << 10,
    },
};

/// A piece of a response.
const PIECE: usize = 64 << 10;

/// Returns how long the connection has been idle, as eviction sees it.
fn idle(connection: &ConnectionState) -> Option<Duration> {
    match connection.liveness(Timeouts::only_idle(Duration::ZERO)) {
        Liveness::Overdue { since, .. } => Some(since.elapsed()),
        _ => None,
    }
}

async fn after(seconds: u64) {
    sleep(Duration::from_secs(seconds)).await;
}

/// A stream whose response has been handed over, completely or except for its end.
fn unread(connection: &ConnectionState, end: bool) -> OpenStream {
    let mut stream = connection.open(Version::HTTP_2);
    stream.handle().receive();
    stream.respond();
    stream.hand_over(PIECE, end, usize::MAX);
    stream
}

/// Gives the latest stream of an HTTP/2 connection a task, which owns the stream.
fn with_task(connection: &ConnectionState, stream: OpenStream) -> JoinHandle<()> {
    let task = tokio::spawn(async move {
        let _stream = stream;
        pending().await
    });
    connection.attach(task.abort_handle());
    task
}

#[tokio::test(start_paused = true)]
async fn idle_busy_and_blocked_connections_are_distinguished() {
    let (begun, connection) = (Instant::now(), ConnectionState::new());
    let script = async {
        let mut stream = connection.open(Version::HTTP_2);
        after(1000).await;
        stream.handle().receive();
        after(1000).await;
        stream.respond();
        after(10).await;
        stream.hand_over(PIECE, false, 0);
        after(9).await;
        stream.handle().sent(PIECE);
        stream.compute();
        after(1000).await;
        stream.hand_over(PIECE, true, usize::MAX);
        let handle = stream.handle().clone();
        drop(stream);
        // A response that has been handed over and not sent is not idle.
        for _ in 0..3 {
            after(5).await;
            assert_eq!(idle(&connection), None);
            handle.sent(PIECE / 4);
        }
        handle.sent(PIECE / 4);
        after(74).await;
        assert_eq!(idle(&connection), Some(Duration::from_secs(74)));
        pending().await
    };
    let reason = tokio::select! {
        () = script => None,
        reason = connection.overdue(TIMEOUTS) => Some(reason),
    };
    assert_eq!(reason, Some(IdleReason::Idle));
    assert_eq!(begun.elapsed().as_secs(), 3019 + 3 * 5 + 75);
}

#[tokio::test(start_paused = true)]
async fn an_unread_response_is_blocked_after_its_timeout() {
    for end in [false, true] {
        // Bytes read after 5 s extend the timeout by one second per 16 KiB. No pause may be longer
        // than 20 s.
        for (taken, expected) in [(0, 20), (1000, 20), (16 << 10, 21), (48 << 10, 23)] {
            let (begun, connection) = (Instant::now(), ConnectionState::new());
            let stream = unread(&connection, end);
            after(5).await;
            stream.handle().sent(taken);
            assert_eq!(idle(&connection), None);
            assert_eq!(connection.overdue(TIMEOUTS).await, IdleReason::Blocked);
            assert_eq!(begun.elapsed().as_secs(), expected, "{end} {taken}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_that_is_read_too_slowly_is_overdue_in_time() {
    const RATE: u64 = 16 << 10;
    // The rate at which the client reads, as a percentage of the minimum rate.
    for percent in [0, 50, 90, 100] {
        for step in [1, 4, 16] {
            let (begun, connection) = (Instant::now(), ConnectionState::new());
            let mut stream = connection.open(Version::HTTP_2);
            stream.respond();
            stream.hand_over(1 << 30, true, usize::MAX);
            let handle = stream.handle().clone();
            let taking = async {
                loop {
                    after(step).await;
                    handle.sent(usize::try_from(step * RATE * percent / 100).unwrap());
                }
            };
            let overdue = async {
                tokio::select! {
                    () = taking => unreachable!(),
                    reason = connection.overdue(TIMEOUTS) => reason,
                }
            };
            let reason = timeout(Duration::from_secs(10_000), overdue).await.ok();
            let slow = percent < 100;
            assert_eq!(reason, slow.then_some(IdleReason::Blocked), "{percent}");
            if slow {
                // The initial timeout plus its extension, for a client with a steady rate.
                let steady = |pause| pause * 100 / (100 - percent);
                let expected = steady(20 - step)..=steady(20) + step;
                let elapsed = begun.elapsed().as_secs();
                assert!(expected.contains(&elapsed), "{percent} {step} {elapsed}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn other_streams_do_not_keep_a_blocked_stream_alive() {
    for pause in [1, 19] {
        let (begun, connection) = (Instant::now(), ConnectionState::new());
        let blocked = unread(&connection, false);
        let task = with_task(&connection, blocked);
        let tiny = async {
            loop {
                after(pause).await;
                let stream = unread(&connection, true);
                stream.handle().sent(PIECE);
            }
        };
        let reset = async {
            tokio::select! {
                ended = task => ended,
                reason = connection.overdue(TIMEOUTS) => panic!("{reason:?}"),
            }
        };
        let error = tokio::select! {
            () = tiny => unreachable!(),
            error = reset => error.unwrap_err(),
        };
        assert!(error.is_cancelled());
        assert_eq!(begun.elapsed().as_secs(), 20, "{pause}");
        assert_eq!(connection.resets(), 1);
        // The connection is served. It becomes idle as soon as no stream is open.
        assert!(idle(&connection).is_some());
        assert_eq!(connection.overdue(TIMEOUTS).await, IdleReason::Idle);
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocked_stream_is_reset_alone_while_others_compute() {
    for count in [1, 2, 30] {
        let connection = ConnectionState::new();
        let computing = connection.open(Version::HTTP_2);
        let tasks: Vec<_> = (0..count)
            .map(|_| with_task(&connection, unread(&connection, false)))
            .collect();
        let overdue = timeout(Duration::from_secs(1000), connection.overdue(TIMEOUTS));
        assert!(overdue.await.is_err(), "the connection computes");
        for task in tasks {
            assert!(task.await.unwrap_err().is_cancelled());
        }
        assert_eq!(connection.resets(), count);
        assert_eq!(idle(&connection), None);
        drop(computing);
        assert_eq!(idle(&connection), Some(Duration::ZERO));
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_closed_if_all_of_it_is_blocked_or_a_stream_cannot_be_reset() {
    // Two streams that are not read.
    let (begun, connection) = (Instant::now(), ConnectionState::new());
    let first = with_task(&connection, unread(&connection, false));
    let second = with_task(&connection, unread(&connection, false));
    assert_eq!(connection.overdue(TIMEOUTS).await, IdleReason::Blocked);
    assert_eq!(begun.elapsed().as_secs(), 20);
    assert!(!first.is_finished() && !second.is_finished());
    // One stream whose task has ended, and one that computes.
    let (begun, connection) = (Instant::now(), ConnectionState::new());
    let _unread = unread(&connection, true);
    let _computing = connection.open(Version::HTTP_2);
    assert_eq!(connection.overdue(TIMEOUTS).await, IdleReason::Blocked);
    assert_eq!(begun.elapsed().as_secs(), 20);
    // A full socket blocks every stream, computing or not.
    let (begun, connection) = (Instant::now(), ConnectionState::new());
    let _computing = connection.open(Version::HTTP_2);
    connection.set_stalled(true);
    after(15).await;
    connection.set_stalled(false);
    connection.set_stalled(true);
    assert_eq!(idle(&connection), None);
    assert_eq!(connection.overdue(TIMEOUTS).await, IdleReason::Blocked);
    assert_eq!(begun.elapsed().as_secs(), 35);
}

#[tokio::test(start_paused = true)]
async fn ended_stream_does_not_affect_the_next_one_in_its_slot() {
    let connection = ConnectionState::new();
    let first = connection.open(Version::HTTP_2);
    let late = first.handle().clone();
    drop(first);
    let mut second = connection.open(Version::HTTP_2);
    second.respond();
    second.hand_over(PIECE, true, usize::MAX);
    late.sent(PIECE);
    assert_eq!(idle(&connection), None);
    second.handle().sent(PIECE);
    assert!(idle(&connection).is_some());
    // A task that is attached late does not reset the stream either.
    let task = tokio::spawn(pending::<()>());
    connection.attach(task.abort_handle());
    let _third = connection.open(Version::HTTP_2);
    let held = Arc::new(());
    let (holds, stream) = (Arc::downgrade(&held), unread(&connection, false));
    let task = tokio::spawn(async move {
        let _held = (held, stream);
        pending::<()>().await
    });
    connection.attach(task.abort_handle());
    let overdue = timeout(Duration::from_secs(30), connection.overdue(TIMEOUTS));
    assert!(overdue.await.is_err());
    assert_eq!(holds.strong_count(), 0);
}
