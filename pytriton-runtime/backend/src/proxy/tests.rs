use std::os::unix::net::UnixListener;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::session::{Hello, Server, Slots, TensorNames, Token, Welcome};

use super::link::Link;

/// Far longer than any awaited event takes.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < TIMEOUT, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Creates a link to a worker that accepts every session, and returns the sessions.
fn link(name: &str) -> (Arc<Link>, mpsc::Receiver<Server>) {
    link_to(name, (usize::MAX, 4), |_| ())
}

/// Same as [`link`], with that many batches in flight.
pub(super) fn link_with(name: &str, batches_in_flight: u32) -> (Arc<Link>, mpsc::Receiver<Server>) {
    link_to(name, (usize::MAX, batches_in_flight), |_| ())
}

/// Same as [`link`], for a worker that accepts a limited number of sessions, and lets all others
/// wait forever. `opened` is called with the first session.
fn link_to(
    name: &str,
    (sessions, batches_in_flight): (usize, u32),
    opened: impl Fn(&Server) + Send + 'static,
) -> (Arc<Link>, mpsc::Receiver<Server>) {
    let path = std::env::temp_dir().join(format!("pytriton-link-{name}"));
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).unwrap();
    let (servers, served) = mpsc::channel();
    thread::spawn(move || {
        for (count, socket) in listener.incoming().enumerate() {
            let mut socket = socket.unwrap();
            Hello::receive(&mut socket).unwrap();
            while count >= sessions && Welcome::wait(&mut socket).is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
            let welcome = Welcome {
                names: TensorNames::default(),
                batches_in_flight,
                slots: Slots { down: 16, up: 16 },
                unavailable: String::new(),
            };
            let Ok(server) = Server::open(socket, &welcome, || {}) else {
                continue;
            };
            if count == 0 {
                opened(&server);
            }
            // The test may have ended.
            let _ = servers.send(server);
        }
    });
    let hello = Hello {
        token: Token([7; 16]),
        model: "Linear".to_owned(),
        version: 1,
        load: 0,
    };
    (Link::connect(path, hello, 0).unwrap(), served)
}

#[test]
#[cfg_attr(
    sanitizer = "thread",
    ignore = "it does not see a mutex that belongs to a condition variable"
)]
fn broken_session_is_replaced() {
    let (link, served) = link("breaks");
    for _ in 0..20 {
        let first = link.session().unwrap();
        served.recv().unwrap().close();
        until("another session", || {
            let now = link.session();
            now.is_some_and(|now| !Arc::ptr_eq(&now, &first))
        });
    }
    link.stop();
}

#[test]
#[cfg_attr(
    sanitizer = "thread",
    ignore = "it does not see a mutex that belongs to a condition variable"
)]
fn first_session_that_closes_at_once_is_replaced() {
    for round in 0..20 {
        let name = format!("closes-{round}");
        let (link, served) = link_to(&name, (usize::MAX, 4), Server::close);
        // No batch arrives meanwhile.
        for _ in 0..2 {
            served.recv_timeout(TIMEOUT).unwrap();
        }
        link.stop();
    }
}

#[test]
#[cfg_attr(
    sanitizer = "thread",
    ignore = "it does not see a mutex that belongs to a condition variable"
)]
fn stop_interrupts_the_handshake() {
    let (link, served) = link_to("waits", (1, 4), |_| ());
    served.recv().unwrap().close();
    until("the wait", || link.is_waiting());
    let stopping = thread::spawn(move || link.stop());
    until("the end", || stopping.is_finished());
    stopping.join().unwrap();
}

#[test]
#[cfg_attr(
    sanitizer = "thread",
    ignore = "it does not see a mutex that belongs to a condition variable"
)]
fn late_close_of_an_earlier_session_is_ignored() {
    let (link, served) = link("late");
    let server = served.recv().unwrap();
    let session = link.session().unwrap();
    let checking = thread::spawn({
        let link = Arc::clone(&link);
        move || {
            link.reconnect();
            until("the look", || !link.is_checking());
            link.session()
        }
    });
    until("the look", || checking.is_finished());
    let now = checking.join().unwrap().unwrap();
    assert!(Arc::ptr_eq(&now, &session) && now.is_ready());
    drop(server);
    link.stop();
}
