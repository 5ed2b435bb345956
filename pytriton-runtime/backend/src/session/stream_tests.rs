use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::tests::{ask, bytes, pair};
use super::*;
use crate::wire::{Answer, AnswerWriter};

/// Far longer than any awaited event takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes a response that is not the last, and publishes it.
fn part(server: &Server, batch: u64, sequence: u32, data: &[u8]) -> Result<(), SessionError> {
    let mut answers = server.answers();
    answers.data = data.len();
    let mut writer = AnswerWriter::new(&mut answers.descriptions);
    writer.parameters(0);
    writer.outputs(0);
    answers.end((0, sequence), false);
    server.answer((batch, 0), &answers, |unanswered| unanswered.write(0, data))?;
    server.keep_answers(answers);
    server.publish();
    Ok(())
}

/// Returns the next response and its bytes; no bytes for an end.
fn next(receiver: &mut Receiver<'_>) -> Result<(Answer, Option<Vec<u8>>), SessionError> {
    loop {
        match receiver.next_answer()? {
            Some(Heard::Answer(answer)) if answer.description.len == 0 => {
                receiver.release();
                return Ok((answer, None));
            }
            Some(Heard::Answer(answer)) => {
                let data = receiver.read(&answer, &mut Vec::new())?.to_vec();
                receiver.release();
                return Ok((answer, Some(data)));
            }
            _ => receiver.wait(None)?,
        }
    }
}

#[test]
fn answers_come_one_by_one_and_then_their_end() {
    const ANSWERS: u32 = 200;
    let (go, on) = mpsc::channel();
    let (client, server) = pair("parts", move |server| {
        let batch = server.take().unwrap().batch;
        for sequence in 0..ANSWERS {
            on.recv().unwrap();
            let data = bytes(sequence.into(), 100 * sequence as usize);
            part(&server, batch, sequence, &data).unwrap();
        }
        server.end_request((batch, 0), (0, ANSWERS)).unwrap();
        server.finish(batch).unwrap();
    });
    ask(&client, 7, b"", b"").unwrap();
    let mut receiver = client.receiver();
    for sequence in 0..ANSWERS {
        // The previous response arrives before the next is written.
        go.send(()).unwrap();
        let (answer, data) = next(&mut receiver).unwrap();
        let told = (answer.batch, answer.sequence, answer.last);
        assert_eq!(told, (7, sequence, false));
        assert!(data.unwrap() == bytes(sequence.into(), 100 * sequence as usize));
    }
    let (answer, data) = next(&mut receiver).unwrap();
    let told = (answer.sequence, answer.last, data);
    assert_eq!(told, (ANSWERS, true, None));
    server.join().unwrap();
}

#[test]
fn a_large_answer_behind_many_small_ones_waits_for_them() {
    const SMALL: u32 = 100;
    let (client, server) = pair("large", move |server| {
        let batch = server.take().unwrap().batch;
        for sequence in 0..SMALL {
            part(&server, batch, sequence, b"small").unwrap();
            // More than the first segment holds: the next is announced in a slot of the ring.
            if sequence % 16 == 15 {
                let large = vec![7; (17 + sequence as usize) << 20];
                part(&server, batch, SMALL + sequence, &large).unwrap();
            }
        }
        server.end_request((batch, 0), (0, SMALL)).unwrap();
        server.finish(batch).unwrap();
    });
    ask(&client, 7, b"", b"").unwrap();
    thread::sleep(Duration::from_millis(50));
    let mut receiver = client.receiver();
    let mut heard = 0;
    while next(&mut receiver).unwrap().1.is_some() {
        heard += 1;
    }
    assert_eq!(heard, SMALL + SMALL / 16);
    server.join().unwrap();
}

#[test]
fn who_answers_faster_than_is_read_waits() {
    let (wrote, written) = mpsc::channel();
    let (client, server) = pair("faster", move |server| {
        let batch = server.take().unwrap().batch;
        for sequence in 0..100 {
            part(&server, batch, sequence, &[0; 1000]).unwrap();
            wrote.send(sequence).unwrap();
        }
        server.end_request((batch, 0), (0, 100)).unwrap();
        server.finish(batch).unwrap();
    });
    ask(&client, 0, b"", b"").unwrap();
    thread::sleep(Duration::from_millis(100));
    // The ring has 16 slots, and the announcement of the segment took one.
    assert_eq!(written.try_iter().count(), 15);
    let mut receiver = client.receiver();
    for sequence in 0..100 {
        let (answer, data) = next(&mut receiver).unwrap();
        assert_eq!((answer.sequence, data.unwrap().len()), (sequence, 1000));
    }
    assert!(next(&mut receiver).unwrap().0.last);
    server.join().unwrap();
}

#[test]
fn who_waits_for_room_hears_that_the_reader_is_gone() {
    let (client, server) = pair("gone", |server| {
        let batch = server.take().unwrap().batch;
        let mut answers = 0..;
        answers.find_map(|sequence| part(&server, batch, sequence, b"x").err())
    });
    ask(&client, 0, b"", b"").unwrap();
    thread::sleep(Duration::from_millis(50));
    drop(client);
    let error = server.join().unwrap().unwrap();
    assert!(matches!(error, SessionError::Closed), "{error}");
}

#[test]
fn who_runs_a_batch_hears_at_once_of_a_request_that_is_taken_back() {
    let (client, server) = pair("taken-back", |server| {
        let first = server.take().unwrap().batch;
        let begun = Instant::now();
        while !server.is_cancelled(first, 3) {
            assert!(begun.elapsed() < PATIENCE);
            thread::yield_now();
        }
        assert!(!server.is_cancelled(first, 2));
        server.finish(first).unwrap();
        // Batches read in the meantime are not lost.
        [server.take().unwrap().batch, server.take().unwrap().batch]
    });
    for batch in 0..3 {
        ask(&client, batch, b"", b"").unwrap();
    }
    client.cancel(0, 3).unwrap();
    assert_eq!(server.join().unwrap(), [1, 2]);
}

#[test]
fn the_end_of_a_session_takes_every_request_back() {
    let (took, taken) = mpsc::channel();
    let (client, server) = pair("all-back", move |server| {
        let batch = server.take().unwrap().batch;
        took.send(()).unwrap();
        let begun = Instant::now();
        while !server.is_cancelled(batch, 0) {
            assert!(begun.elapsed() < PATIENCE);
            thread::yield_now();
        }
    });
    ask(&client, 0, b"", b"").unwrap();
    taken.recv().unwrap();
    drop(client);
    server.join().unwrap();
}
