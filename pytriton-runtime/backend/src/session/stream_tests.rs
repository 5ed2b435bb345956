use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::tests::{bytes, pair, send_batch};
use super::*;
use crate::protocol::{ResponseMessage, ResponseWriter};

/// Far longer than any awaited event takes.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Writes a response that is not the last, and publishes it.
fn send_response(
    server: &Server,
    batch: u64,
    sequence: u32,
    data: &[u8],
) -> Result<(), SessionError> {
    let mut responses = server.responses();
    responses.data = data.len();
    let mut writer = ResponseWriter::new(&mut responses.descriptions);
    writer.parameters(0);
    writer.outputs(0);
    responses.end((0, sequence), false);
    server.respond((batch, 0), &responses, |allocated| allocated.write(0, data))?;
    server.keep_responses(responses);
    server.publish();
    Ok(())
}

/// Returns the next response and its bytes; no bytes for an end.
fn next(receiver: &mut Receiver<'_>) -> Result<(ResponseMessage, Option<Vec<u8>>), SessionError> {
    loop {
        match receiver.next_message()? {
            Some(BatchMessage::Response(response)) if response.description.len == 0 => {
                receiver.release();
                return Ok((response, None));
            }
            Some(BatchMessage::Response(response)) => {
                let data = receiver.read(&response, &mut Vec::new())?.to_vec();
                receiver.release();
                return Ok((response, Some(data)));
            }
            _ => receiver.wait(None)?,
        }
    }
}

#[test]
fn streamed_responses_arrive_before_their_end() {
    const RESPONSES: u32 = 200;
    let (go, on) = mpsc::channel();
    let (client, server) = pair("parts", move |server| {
        let batch = server.take().unwrap().batch;
        for sequence in 0..RESPONSES {
            on.recv().unwrap();
            let data = bytes(sequence.into(), 100 * sequence as usize);
            send_response(&server, batch, sequence, &data).unwrap();
        }
        server.end_request((batch, 0), (0, RESPONSES)).unwrap();
        server.finish(batch).unwrap();
    });
    send_batch(&client, 7, b"", b"").unwrap();
    let mut receiver = client.receiver();
    for sequence in 0..RESPONSES {
        // The previous response arrives before the next is written.
        go.send(()).unwrap();
        let (response, data) = next(&mut receiver).unwrap();
        let header = (response.batch, response.sequence, response.last);
        assert_eq!(header, (7, sequence, false));
        assert!(data.unwrap() == bytes(sequence.into(), 100 * sequence as usize));
    }
    let (response, data) = next(&mut receiver).unwrap();
    let header = (response.sequence, response.last, data);
    assert_eq!(header, (RESPONSES, true, None));
    server.join().unwrap();
}

#[test]
fn large_response_waits_for_earlier_small_ones() {
    const SMALL_RESPONSES: u32 = 100;
    let (client, server) = pair("large", move |server| {
        let batch = server.take().unwrap().batch;
        for sequence in 0..SMALL_RESPONSES {
            send_response(&server, batch, sequence, b"small").unwrap();
            // More than the first segment holds: the next is announced in a slot of the ring.
            if sequence % 16 == 15 {
                let large = vec![7; (17 + sequence as usize) << 20];
                send_response(&server, batch, SMALL_RESPONSES + sequence, &large).unwrap();
            }
        }
        server
            .end_request((batch, 0), (0, SMALL_RESPONSES))
            .unwrap();
        server.finish(batch).unwrap();
    });
    send_batch(&client, 7, b"", b"").unwrap();
    thread::sleep(Duration::from_millis(50));
    let mut receiver = client.receiver();
    let mut count = 0;
    while next(&mut receiver).unwrap().1.is_some() {
        count += 1;
    }
    assert_eq!(count, SMALL_RESPONSES + SMALL_RESPONSES / 16);
    server.join().unwrap();
}

#[test]
fn fast_writer_waits_for_slow_reader() {
    let (wrote, written) = mpsc::channel();
    let (client, server) = pair("faster", move |server| {
        let batch = server.take().unwrap().batch;
        for sequence in 0..100 {
            send_response(&server, batch, sequence, &[0; 1000]).unwrap();
            wrote.send(sequence).unwrap();
        }
        server.end_request((batch, 0), (0, 100)).unwrap();
        server.finish(batch).unwrap();
    });
    send_batch(&client, 0, b"", b"").unwrap();
    thread::sleep(Duration::from_millis(100));
    // The ring has 16 slots, and the announcement of the segment took one.
    assert_eq!(written.try_iter().count(), 15);
    let mut receiver = client.receiver();
    for sequence in 0..100 {
        let (response, data) = next(&mut receiver).unwrap();
        assert_eq!((response.sequence, data.unwrap().len()), (sequence, 1000));
    }
    assert!(next(&mut receiver).unwrap().0.last);
    server.join().unwrap();
}

#[test]
fn blocked_writer_returns_when_the_reader_is_dropped() {
    let (client, server) = pair("gone", |server| {
        let batch = server.take().unwrap().batch;
        let mut responses = 0..;
        responses.find_map(|sequence| send_response(&server, batch, sequence, b"x").err())
    });
    send_batch(&client, 0, b"", b"").unwrap();
    thread::sleep(Duration::from_millis(50));
    drop(client);
    let error = server.join().unwrap().unwrap();
    assert!(matches!(error, SessionError::Closed), "{error}");
}

#[test]
fn cancellation_reaches_a_running_batch() {
    let (client, server) = pair("taken-back", |server| {
        let first = server.take().unwrap().batch;
        let begun = Instant::now();
        while !server.is_cancelled(first, 3) {
            assert!(begun.elapsed() < TIMEOUT);
            thread::yield_now();
        }
        assert!(!server.is_cancelled(first, 2));
        server.finish(first).unwrap();
        // Batches read in the meantime are not lost.
        [server.take().unwrap().batch, server.take().unwrap().batch]
    });
    for batch in 0..3 {
        send_batch(&client, batch, b"", b"").unwrap();
    }
    client.cancel(0, 3).unwrap();
    assert_eq!(server.join().unwrap(), [1, 2]);
}

#[test]
fn session_end_cancels_all_requests() {
    let (took, taken) = mpsc::channel();
    let (client, server) = pair("all-back", move |server| {
        let batch = server.take().unwrap().batch;
        took.send(()).unwrap();
        let begun = Instant::now();
        while !server.is_cancelled(batch, 0) {
            assert!(begun.elapsed() < TIMEOUT);
            thread::yield_now();
        }
    });
    send_batch(&client, 0, b"", b"").unwrap();
    taken.recv().unwrap();
    drop(client);
    server.join().unwrap();
}
