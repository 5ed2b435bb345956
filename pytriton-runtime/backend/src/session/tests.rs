use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::*;
use crate::protocol::{OutputPart, ResponseContents, ResponseMessage, ResponseWriter, Span};

/// A socket in its own folder, which is removed on drop.
struct SocketDir(PathBuf);

impl SocketDir {
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

impl Drop for SocketDir {
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
    let dir = SocketDir::new(name);
    let listener = UnixListener::bind(dir.socket()).unwrap();
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
    let (client, _) = Client::connect(&dir.socket(), &hello, || {}).unwrap();
    (client, server)
}

pub(super) fn send_batch(
    client: &Client,
    batch: u64,
    description: &[u8],
    data: &[u8],
) -> Result<(), SessionError> {
    let mut allocated = client.prepare(description.len(), data.len())?;
    allocated.describe(description)?;
    allocated.write(0, data)?;
    client.send_batch(batch, allocated)
}

/// Returns the next response with its tensors.
fn next(receiver: &mut Receiver<'_>) -> Result<(ResponseMessage, Vec<u8>), SessionError> {
    loop {
        if let Some(BatchMessage::Response(response)) = receiver.next_message()? {
            let mut description = Vec::new();
            let data = receiver.read(&response, &mut description)?;
            let contents = ResponseContents::read(&description, data.len(), 1)?.unwrap();
            let (part, _) = contents.outputs().next().unwrap();
            let bytes = data[part.span.offset..part.span.offset + part.span.len].to_vec();
            receiver.release();
            return Ok((response, bytes));
        }
        receiver.wait(None)?;
    }
}

/// Responds to a batch with its own tensors, as if it were one request.
fn echo(
    server: &Server,
    received_batch: ReceivedBatch,
    keep: bool,
) -> Result<Option<Window>, SessionError> {
    let ReceivedBatch { batch, data, .. } = received_batch;
    reply(server, batch, data.as_ref())?;
    let windows = keep.then_some(data);
    server.finish(batch)?;
    Ok(windows)
}

/// Writes a response without publishing it.
fn reply(server: &Server, batch: u64, bytes: &[u8]) -> Result<(), SessionError> {
    let mut responses = server.responses();
    responses.data = bytes.len();
    let mut writer = ResponseWriter::new(&mut responses.descriptions);
    writer.parameters(0);
    writer.outputs(1);
    let span = Span {
        offset: 0,
        len: bytes.len(),
    };
    writer.output(OutputPart { output: 0, span }, [1_i64].into_iter());
    responses.end_only(0);
    server.respond((batch, 0), &responses, |allocated| {
        allocated.write(0, bytes)
    })?;
    server.keep_responses(responses);
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
fn batches_of_all_sizes_are_echoed() {
    let (client, server) = pair("sizes", |server| {
        while let Ok(received_batch) = server.take() {
            let expected = received_batch.data.as_ref().len().to_string();
            assert_eq!(received_batch.description, expected.as_bytes());
            server.keep_description(received_batch.description.clone());
            echo(&server, received_batch, false).unwrap();
        }
    });
    for (batch, size) in (0..).zip([0, 1, 63, 64, 65, 1 << 16, (5 << 20) + 3, 80 << 20, 2]) {
        let data = bytes(3, size);
        send_batch(&client, batch, size.to_string().as_bytes(), &data).unwrap();
        let (response, back) = next(&mut client.receiver()).unwrap();
        assert_eq!(
            (response.batch, response.request, response.last),
            (batch, 0, true)
        );
        assert!(back == data, "{size}");
    }
    drop(client);
    server.join().unwrap();
}

#[test]
fn concurrent_batches_complete_in_any_order() {
    const BATCHES: u64 = 400;
    let (client, server) = pair("many", |server| {
        let mut waiting = Vec::new();
        while let Ok(received_batch) = server.take() {
            waiting.push(received_batch);
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
            send_batch(&client, batch, b"", &bytes(batch, length(batch))).unwrap();
        }
        for _ in 0..4 {
            let (response, back) = next(&mut receiver).unwrap();
            assert!(
                back == bytes(response.batch, length(response.batch)),
                "{response:?}"
            );
            seen.push(response.batch);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..BATCHES).collect::<Vec<_>>());
    drop(receiver);
    drop(client);
    server.join().unwrap();
}

#[test]
fn responses_beyond_the_ring_wait_for_the_reader() {
    let (client, server) = pair("ring_space", |server| {
        let received_batch = server.take().unwrap();
        for _ in 0..100 {
            reply(&server, received_batch.batch, received_batch.data.as_ref()).unwrap();
            server.finish(received_batch.batch).unwrap();
        }
    });
    send_batch(&client, 0, b"", &bytes(1, 100_000)).unwrap();
    let mut receiver = client.receiver();
    for _ in 0..100 {
        let (_, back) = next(&mut receiver).unwrap();
        assert!(back == bytes(1, 100_000));
    }
    server.join().unwrap();
}

#[test]
fn retained_tensors_are_not_overwritten() {
    let (client, server) = pair("kept", |server| {
        let windows = (0..40).map(|index| {
            let received_batch = server.take().unwrap();
            echo(&server, received_batch, index % 2 == 0).unwrap()
        });
        let windows: Vec<_> = windows.collect();
        for (value, windows) in (0..).zip(&windows) {
            if let Some(windows) = windows {
                assert!(windows.as_ref() == bytes(value, 100_000));
            }
        }
        drop(windows);
        // Memory that was returned late is reused.
        let received_batch = server.take().unwrap();
        echo(&server, received_batch, false).unwrap();
    });
    let mut receiver = client.receiver();
    for value in 0..41 {
        send_batch(&client, value, b"", &bytes(value, 100_000)).unwrap();
        assert!(next(&mut receiver).unwrap().1 == bytes(value, 100_000));
    }
    server.join().unwrap();
}

#[test]
fn retained_tensors_outlive_the_session() {
    let (client, server) = pair("outlived", |server| {
        let received_batch = server.take().unwrap();
        echo(&server, received_batch, true).unwrap().unwrap()
    });
    send_batch(&client, 0, b"", &bytes(9, 1 << 20)).unwrap();
    assert!(next(&mut client.receiver()).unwrap().1 == bytes(9, 1 << 20));
    drop(client);
    let windows = server.join().unwrap();
    assert!(windows.as_ref() == bytes(9, 1 << 20));
}

#[test]
fn server_exit_ends_the_wait_immediately() {
    let (client, server) = pair("death", |server| {
        server.take().unwrap();
        thread::sleep(Duration::from_millis(200));
        Instant::now()
    });
    send_batch(&client, 0, b"x", b"y").unwrap();
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
fn client_drop_ends_the_server() {
    let (client, server) = pair("goes", |server| server.take().map(|_| ()));
    drop(client);
    assert!(matches!(server.join().unwrap(), Err(SessionError::Closed)));
}

#[test]
fn on_close_is_called_once() {
    let dir = SocketDir::new("told");
    let listener = UnixListener::bind(dir.socket()).unwrap();
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
    let (closed, ended) = mpsc::channel();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let refused = Client::connect(&dir.socket(), &hello, || {}).unwrap_err();
    assert_eq!(refused.to_string(), "no");
    let (client, _) = Client::connect(&dir.socket(), &hello, move || {
        counted.fetch_add(1, Ordering::Relaxed);
        closed.send(()).unwrap();
    })
    .unwrap();
    ended.recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(!client.is_ready());
    drop(client);
    server.join().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn ending_serves_queued_batches_only() {
    let (waits, waited) = mpsc::channel();
    let (client, server) = pair("ending", move |server| {
        waited.recv().unwrap();
        server.end();
        let received_batch = server.take().unwrap();
        echo(&server, received_batch, false).unwrap();
        server.take().map(|_| ())
    });
    send_batch(&client, 0, b"", b"one").unwrap();
    waits.send(()).unwrap();
    assert_eq!(next(&mut client.receiver()).unwrap().1, b"one");
    assert!(matches!(server.join().unwrap(), Err(SessionError::Closed)));
}

#[test]
fn unavailable_instances_receive_no_batches() {
    let (client, server) = pair("unavailable", |server| {
        server.set_state(State::Unavailable);
        let received_batch = server.take().unwrap();
        echo(&server, received_batch, false).unwrap();
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
fn take_until_returns_at_the_deadline() {
    let (ready, is_ready) = mpsc::channel();
    let (client, server) = pair("until", move |server| {
        let begun = Instant::now();
        let deadline = begun + Duration::from_millis(20);
        assert!(server.take_until(deadline).unwrap().is_none());
        assert!(Instant::now() >= deadline);
        assert!(server.take_until(begun).unwrap().is_none());
        ready.send(()).unwrap();
        let later_deadline = begun + Duration::from_secs(60);
        let received_batch = server.take_until(later_deadline).unwrap().unwrap();
        echo(&server, received_batch, false).unwrap();
        server.take_until(later_deadline).map(|_| ())
    });
    is_ready.recv().unwrap();
    send_batch(&client, 5, b"", b"").unwrap();
    next(&mut client.receiver()).unwrap();
    drop(client);
    assert!(server.join().unwrap().is_err());
}

#[test]
fn cancellation_of_a_received_batch_is_reported() {
    let (ready, is_ready) = mpsc::channel();
    let (client, server) = pair("cancelled", move |server| {
        let received_batch = server.take().unwrap();
        is_ready.recv().unwrap();
        assert!(server.take_until(Instant::now()).unwrap().is_none());
        let cancelled = [0, 1, 2].map(|request| server.is_cancelled(received_batch.batch, request));
        let batch = received_batch.batch;
        echo(&server, received_batch, false).unwrap();
        (cancelled, server.is_cancelled(batch, 1))
    });
    send_batch(&client, 5, b"", b"").unwrap();
    client.cancel(5, 1).unwrap();
    ready.send(()).unwrap();
    next(&mut client.receiver()).unwrap();
    assert_eq!(server.join().unwrap(), ([false, true, false], false));
}

#[test]
fn idle_memory_is_released() {
    let (client, server) = pair("idle", |server| while server.take().is_ok() {});
    let mut batch = client.prepare(0, 100 << 20).unwrap();
    batch.write(0, &vec![1; 100 << 20]).unwrap();
    let committed = || end::lock(&client.end.outgoing).arena.committed();
    assert!(committed() >= 100 << 20);
    client.abandon(batch);
    let begun = Instant::now();
    while committed() > 1 << 20 {
        // Sanitizers are slow on a busy machine.
        assert!(begun.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(50));
    }
    drop(client);
    server.join().unwrap();
}
