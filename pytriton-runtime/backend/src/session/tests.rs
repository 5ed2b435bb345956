use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::*;
use crate::wire::{Answer, AnswerWriter, Contents, Part, Span};

/// A socket in its own folder, which is removed on drop.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let name = format!("pytriton-session-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("socket")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

const SLOTS: Slots = Slots { down: 16, up: 16 };

/// Connects a client and a server; `serve` runs on the server's thread.
pub(super) fn pair<T: Send + 'static>(
    name: &str,
    serve: impl FnOnce(Server) -> T + Send + 'static,
) -> (Client, JoinHandle<T>) {
    let place = Place::new(name);
    let listener = UnixListener::bind(place.socket()).unwrap();
    let server = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        Hello::receive(&mut socket).unwrap();
        let welcome = Welcome {
            names: TensorNames::default(),
            batches_in_flight: 4,
            slots: SLOTS,
            unavailable: String::new(),
        };
        serve(Server::open(socket, &welcome, || {}).unwrap())
    });
    let hello = Hello {
        token: Token([7; 16]),
        model: "Linear".to_owned(),
        version: 1,
        load: 0,
    };
    let (client, _) = Client::connect(&place.socket(), &hello, || {}).unwrap();
    (client, server)
}

pub(super) fn ask(
    client: &Client,
    batch: u64,
    description: &[u8],
    data: &[u8],
) -> Result<(), SessionError> {
    let mut unasked = client.prepare(description.len(), data.len())?;
    unasked.describe(description)?;
    unasked.write(0, data)?;
    client.ask(batch, unasked)
}

/// Returns the next response with its tensors.
fn next(receiver: &mut Receiver<'_>) -> Result<(Answer, Vec<u8>), SessionError> {
    loop {
        if let Some(Heard::Answer(answer)) = receiver.next_answer()? {
            let mut description = Vec::new();
            let data = receiver.read(&answer, &mut description)?;
            let contents = Contents::read(&description, data.len(), 1)?.unwrap();
            let (part, _) = contents.outputs().next().unwrap();
            let bytes = data[part.span.offset..part.span.offset + part.span.len].to_vec();
            receiver.release();
            return Ok((answer, bytes));
        }
        receiver.wait(None)?;
    }
}

/// Responds to a batch with its own tensors, as if it were one request.
fn echo(server: &Server, asked: Asked, keep: bool) -> Result<Option<Window>, SessionError> {
    let Asked { batch, data, .. } = asked;
    reply(server, batch, data.as_ref())?;
    let kept = keep.then_some(data);
    server.finish(batch)?;
    Ok(kept)
}

/// Writes a response without publishing it.
fn reply(server: &Server, batch: u64, bytes: &[u8]) -> Result<(), SessionError> {
    let mut answers = server.answers();
    answers.data = bytes.len();
    let mut writer = AnswerWriter::new(&mut answers.descriptions);
    writer.parameters(0);
    writer.outputs(1);
    let span = Span {
        offset: 0,
        len: bytes.len(),
    };
    writer.output(Part { output: 0, span }, [1_i64].into_iter());
    answers.end_only(0);
    server.answer((batch, 0), &answers, |unanswered| {
        unanswered.write(0, bytes)
    })?;
    server.keep_answers(answers);
    Ok(())
}

/// Returns bytes that are different for each batch.
pub(super) fn bytes(batch: u64, len: usize) -> Vec<u8> {
    let mut bytes = batch.to_le_bytes().repeat(len / 8 + 1);
    bytes.truncate(len);
    bytes
}

/// Returns a length that is different for each batch.
fn length(batch: u64) -> usize {
    1000 + 777 * usize::try_from(batch).unwrap()
}

#[test]
fn batches_of_all_sizes_come_back() {
    let (client, server) = pair("sizes", |server| {
        while let Ok(asked) = server.take() {
            let expected = asked.data.as_ref().len().to_string();
            assert_eq!(asked.description, expected.as_bytes());
            server.keep_description(asked.description.clone());
            echo(&server, asked, false).unwrap();
        }
    });
    for (batch, size) in (0..).zip([0, 1, 63, 64, 65, 1 << 16, (5 << 20) + 3, 80 << 20, 2]) {
        let data = bytes(3, size);
        ask(&client, batch, size.to_string().as_bytes(), &data).unwrap();
        let (answer, back) = next(&mut client.receiver()).unwrap();
        assert_eq!(
            (answer.batch, answer.request, answer.last),
            (batch, 0, true)
        );
        assert!(back == data, "{size}");
    }
    drop(client);
    server.join().unwrap();
}

#[test]
fn many_batches_are_under_way_and_answered_in_any_order() {
    const BATCHES: u64 = 400;
    let (client, server) = pair("many", |server| {
        let mut waiting = Vec::new();
        while let Ok(asked) = server.take() {
            waiting.push(asked);
            if waiting.len() == 4 {
                for index in [2, 0, 1, 0] {
                    echo(&server, waiting.remove(index), false).unwrap();
                }
            }
        }
    });
    let mut receiver = client.receiver();
    let mut seen = Vec::new();
    for first in (0..BATCHES).step_by(4) {
        for batch in first..first + 4 {
            ask(&client, batch, b"", &bytes(batch, length(batch))).unwrap();
        }
        for _ in 0..4 {
            let (answer, back) = next(&mut receiver).unwrap();
            assert!(
                back == bytes(answer.batch, length(answer.batch)),
                "{answer:?}"
            );
            seen.push(answer.batch);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..BATCHES).collect::<Vec<_>>());
    drop(receiver);
    drop(client);
    server.join().unwrap();
}

#[test]
fn more_answers_than_there_is_room_for_wait_until_they_are_read() {
    let (client, server) = pair("room", |server| {
        let asked = server.take().unwrap();
        for _ in 0..100 {
            reply(&server, asked.batch, asked.data.as_ref()).unwrap();
            server.finish(asked.batch).unwrap();
        }
    });
    ask(&client, 0, b"", &bytes(1, 100_000)).unwrap();
    let mut receiver = client.receiver();
    for _ in 0..100 {
        let (_, back) = next(&mut receiver).unwrap();
        assert!(back == bytes(1, 100_000));
    }
    server.join().unwrap();
}

#[test]
fn tensors_that_are_kept_stay_what_they_were() {
    let (client, server) = pair("kept", |server| {
        let kept = (0..40).map(|index| {
            let asked = server.take().unwrap();
            echo(&server, asked, index % 2 == 0).unwrap()
        });
        let kept: Vec<_> = kept.collect();
        for (value, kept) in (0..).zip(&kept) {
            if let Some(kept) = kept {
                assert!(kept.as_ref() == bytes(value, 100_000));
            }
        }
        drop(kept);
        // Memory that was returned late is reused.
        let asked = server.take().unwrap();
        echo(&server, asked, false).unwrap();
    });
    let mut receiver = client.receiver();
    for value in 0..41 {
        ask(&client, value, b"", &bytes(value, 100_000)).unwrap();
        assert!(next(&mut receiver).unwrap().1 == bytes(value, 100_000));
    }
    server.join().unwrap();
}

#[test]
fn a_session_that_ends_leaves_kept_tensors_as_they_are() {
    let (client, server) = pair("outlived", |server| {
        let asked = server.take().unwrap();
        echo(&server, asked, true).unwrap().unwrap()
    });
    ask(&client, 0, b"", &bytes(9, 1 << 20)).unwrap();
    assert!(next(&mut client.receiver()).unwrap().1 == bytes(9, 1 << 20));
    drop(client);
    let kept = server.join().unwrap();
    assert!(kept.as_ref() == bytes(9, 1 << 20));
}

#[test]
fn a_death_under_way_is_noticed_at_once_and_costs_no_wake_up_before() {
    let (client, server) = pair("death", |server| {
        server.take().unwrap();
        thread::sleep(Duration::from_millis(200));
        Instant::now()
    });
    ask(&client, 0, b"x", b"y").unwrap();
    let error = next(&mut client.receiver()).unwrap_err();
    assert!(matches!(error, SessionError::Closed), "{error}");
    let died = server.join().unwrap();
    assert!(
        died.elapsed() < Duration::from_millis(100),
        "{:?}",
        died.elapsed()
    );
    let refused = client.prepare(1, 1).unwrap_err();
    assert!(matches!(refused, SessionError::Closed));
}

#[test]
fn a_client_that_goes_ends_the_server_at_once() {
    let (client, server) = pair("goes", |server| server.take().map(|_| ()));
    drop(client);
    assert!(matches!(server.join().unwrap(), Err(SessionError::Closed)));
}

#[test]
fn the_end_is_told_once() {
    let place = Place::new("told");
    let listener = UnixListener::bind(place.socket()).unwrap();
    let server = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        Hello::receive(&mut socket).unwrap();
        Welcome::refuse(&mut socket, "no").unwrap();
        let (mut socket, _) = listener.accept().unwrap();
        Hello::receive(&mut socket).unwrap();
        let welcome = Welcome {
            names: TensorNames::default(),
            batches_in_flight: 1,
            slots: SLOTS,
            unavailable: String::new(),
        };
        drop(Server::open(socket, &welcome, || {}).unwrap());
    });
    let hello = Hello {
        token: Token([7; 16]),
        model: String::new(),
        version: 1,
        load: 0,
    };
    let (told, ended) = mpsc::channel();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let refused = Client::connect(&place.socket(), &hello, || {}).unwrap_err();
    assert_eq!(refused.to_string(), "no");
    let (client, _) = Client::connect(&place.socket(), &hello, move || {
        counted.fetch_add(1, Ordering::Relaxed);
        told.send(()).unwrap();
    })
    .unwrap();
    ended.recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(!client.is_ready());
    drop(client);
    server.join().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn ending_serves_what_waits_and_takes_no_more() {
    let (waits, waited) = mpsc::channel();
    let (client, server) = pair("ending", move |server| {
        waited.recv().unwrap();
        server.end();
        let asked = server.take().unwrap();
        echo(&server, asked, false).unwrap();
        server.take().map(|_| ())
    });
    ask(&client, 0, b"", b"one").unwrap();
    waits.send(()).unwrap();
    assert_eq!(next(&mut client.receiver()).unwrap().1, b"one");
    assert!(matches!(server.join().unwrap(), Err(SessionError::Closed)));
}

#[test]
fn instances_that_cannot_serve_are_not_asked() {
    let (client, server) = pair("unavailable", |server| {
        server.set_state(State::Unavailable);
        let asked = server.take().unwrap();
        echo(&server, asked, false).unwrap();
    });
    while client.is_ready() {
        thread::yield_now();
    }
    assert!(matches!(
        client.prepare(1, 1),
        Err(SessionError::Unavailable)
    ));
    drop(client);
    assert!(server.join().is_err());
}

#[test]
fn a_batch_is_waited_for_until_a_time() {
    let (said, heard) = mpsc::channel();
    let (client, server) = pair("until", move |server| {
        let begun = Instant::now();
        let soon = begun + Duration::from_millis(20);
        assert!(server.take_until(soon).unwrap().is_none());
        assert!(Instant::now() >= soon);
        assert!(server.take_until(begun).unwrap().is_none());
        said.send(()).unwrap();
        let late = begun + Duration::from_secs(60);
        let asked = server.take_until(late).unwrap().unwrap();
        echo(&server, asked, false).unwrap();
        server.take_until(late).map(|_| ())
    });
    heard.recv().unwrap();
    ask(&client, 5, b"", b"").unwrap();
    next(&mut client.receiver()).unwrap();
    drop(client);
    assert!(server.join().unwrap().is_err());
}

#[test]
fn cancellations_are_heard_of_batches_that_wait() {
    let (said, heard) = mpsc::channel();
    let (client, server) = pair("cancelled", move |server| {
        let asked = server.take().unwrap();
        heard.recv().unwrap();
        assert!(server.take_until(Instant::now()).unwrap().is_none());
        let cancelled = [0, 1, 2].map(|request| server.is_cancelled(asked.batch, request));
        let batch = asked.batch;
        echo(&server, asked, false).unwrap();
        (cancelled, server.is_cancelled(batch, 1))
    });
    ask(&client, 5, b"", b"").unwrap();
    client.cancel(5, 1).unwrap();
    said.send(()).unwrap();
    next(&mut client.receiver()).unwrap();
    assert_eq!(server.join().unwrap(), ([false, true, false], false));
}

#[test]
fn memory_goes_back_when_nobody_needs_it() {
    let (client, server) = pair("idle", |server| while server.take().is_ok() {});
    let mut unasked = client.prepare(0, 100 << 20).unwrap();
    unasked.write(0, &vec![1; 100 << 20]).unwrap();
    let committed = || end::lock(&client.end.outgoing).arena.committed();
    assert!(committed() >= 100 << 20);
    client.abandon(unasked);
    let begun = Instant::now();
    while committed() > 1 << 20 {
        // Sanitizers are slow on a busy machine.
        assert!(begun.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(50));
    }
    drop(client);
    server.join().unwrap();
}
