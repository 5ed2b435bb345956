//! Tests of the steps that are taken on a connection.

use super::*;

const fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A connection that received a response a second ago.
const USED: Tcp = Tcp {
    received: 500,
    delivered: 300,
    sending: false,
    unread: 0,
    closed: false,
    since_received: milliseconds(1000),
    since_sent: milliseconds(1000),
};

fn next_step(protocol: Protocol, sights: &[Snapshot]) -> Step {
    let now = Instant::now();
    let mut connection = Connection::new(protocol, sights[0].tcp, now);
    let steps = sights
        .iter()
        .map(|snapshot| connection.next_step(*snapshot, now));
    steps.last().unwrap()
}

#[test]
fn idle_connection_stops_reading() {
    let just = Tcp {
        since_received: milliseconds(8),
        since_sent: milliseconds(8),
        ..USED
    };
    let answered = Tcp {
        delivered: 400,
        ..just
    };
    let table: &[(&str, u32, &[Tcp], Step)] = &[
        ("idle", READABLE, &[USED], Step::CloseReading),
        (
            "nothing asked",
            READABLE,
            &[Tcp::default()],
            Step::CloseReading,
        ),
        ("being answered", 0, &[just], Step::CloseReading),
        (
            "being answered for the first time",
            0,
            &[Tcp {
                delivered: 0,
                ..just
            }],
            Step::CloseReading,
        ),
        (
            "a part of an answer is not read",
            WRITABLE,
            &[Tcp {
                sending: true,
                ..just
            }],
            Step::CloseReading,
        ),
        ("being written", READABLE | WRITABLE, &[USED], Step::Wait),
        (
            "not yet arrived",
            READABLE,
            &[Tcp {
                sending: true,
                ..USED
            }],
            Step::Wait,
        ),
        (
            "not yet read",
            READABLE,
            &[Tcp { unread: 1, ..USED }],
            Step::Wait,
        ),
        ("perhaps a body comes", READABLE, &[just], Step::Wait),
        (
            "answered meanwhile",
            READABLE,
            &[just, answered],
            Step::CloseReading,
        ),
        (
            "half a request",
            READABLE,
            &[Tcp {
                since_received: milliseconds(900),
                ..USED
            }],
            Step::Wait,
        ),
        (
            "half a first request",
            READABLE,
            &[Tcp {
                delivered: 0,
                ..USED
            }],
            Step::Wait,
        ),
    ];
    for (what, awaited, accounts, expected) in table {
        let sights: Vec<_> = accounts
            .iter()
            .map(|tcp| Snapshot {
                tcp: *tcp,
                awaited: *awaited,
            })
            .collect();
        assert_eq!(next_step(Protocol::Http, &sights), *expected, "{what}");
    }
}

#[test]
fn goaway_is_sent_between_frames() {
    let sent = |delivered| Tcp {
        delivered,
        since_sent: milliseconds(4),
        ..USED
    };
    let table: &[(&str, &[Tcp], Step)] = &[
        ("idle", &[USED], Step::SendGoaway),
        ("nothing asked", &[Tcp::default()], Step::CloseReading),
        (
            "not greeted",
            &[Tcp {
                delivered: 0,
                ..USED
            }],
            Step::Wait,
        ),
        (
            "small answers",
            &[sent(1), sent(100), sent(9000)],
            Step::SendGoaway,
        ),
        ("not for long", &[sent(1), sent(2)], Step::Wait),
        (
            "large answers",
            &[sent(1), sent(2), sent(90_000)],
            Step::Wait,
        ),
        (
            "on its way",
            &[Tcp {
                sending: true,
                ..USED
            }],
            Step::Wait,
        ),
    ];
    for (what, accounts, expected) in table {
        let sights: Vec<_> = accounts
            .iter()
            .map(|tcp| Snapshot {
                tcp: *tcp,
                awaited: READABLE,
            })
            .collect();
        assert_eq!(next_step(Protocol::Grpc, &sights), *expected, "{what}");
    }
}

#[test]
fn connection_without_traffic_is_silent() {
    let now = Instant::now();
    let mut connection = Connection::new(Protocol::Grpc, USED, now);
    let snapshot = |delivered| Snapshot {
        tcp: Tcp { delivered, ..USED },
        awaited: READABLE,
    };
    assert!(!connection.is_silent(now));
    assert_eq!(connection.next_step(snapshot(300), now), Step::SendGoaway);
    connection.done(Step::SendGoaway);
    let soon = now + milliseconds(1000);
    // The frame is in flight, then delivered.
    for delivered in [300, 317] {
        assert_eq!(connection.next_step(snapshot(delivered), soon), Step::Wait);
    }
    assert!(connection.is_silent(soon));
    connection.next_step(snapshot(400), soon);
    let unasked = Connection::new(Protocol::Http, USED, now);
    assert!(!unasked.is_silent(soon + SILENCE_TIMEOUT));
    assert!(!connection.is_silent(soon) && connection.is_silent(soon + SILENCE_TIMEOUT));
}

#[test]
fn closed_grpc_connection_receives_nothing() {
    let closed = Tcp {
        closed: true,
        ..USED
    };
    let unread = Tcp {
        unread: 1,
        ..closed
    };
    let table = [
        (Protocol::Grpc, USED, false),
        (Protocol::Grpc, closed, true),
        (Protocol::Grpc, unread, false),
        (Protocol::Http, closed, false),
    ];
    for (protocol, tcp, expected) in table {
        let now = Instant::now();
        let mut connection = Connection::new(protocol, tcp, now);
        connection.next_step(Snapshot { tcp, awaited: 0 }, now);
        assert_eq!(connection.is_abandoned(), expected, "{protocol:?} {tcp:?}");
        connection.mark_abandoned();
        assert!(connection.is_abandoned());
    }
}
