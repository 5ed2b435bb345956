//! The messages between the Triton backend and the worker, the handshake included.

use pytriton_backend::protocol::{BatchReader, ResponseContents, ToServer, ToWorker};
use pytriton_backend::ring::Message;
use pytriton_backend::session::{Hello, SessionError, Welcome};

use crate::Outcome;
use crate::reserved::bounded;

/// A description decodes into a few numbers for each of its numbers, in lists that grow.
const PER_BYTE: usize = 64;

/// The size of the tensors of a batch or a response.
const DATA: usize = 1 << 20;

/// The first byte selects the kind of input: a batch, a response, a message of the handshake from
/// either side, or messages of the two rings.
pub(crate) fn worker_messages(input: &[u8]) -> Outcome {
    let Some((kind, bytes)) = input.split_first() else {
        return Err("empty".to_owned());
    };
    match kind {
        b'b' => bounded(bytes, PER_BYTE, batch),
        b'a' => bounded(bytes, PER_BYTE, response),
        b'h' => bounded(bytes, PER_BYTE, |mut bytes| {
            handshake(Hello::receive(&mut bytes), Hello::send, |sent| {
                Hello::receive(sent)
            })
        }),
        b'w' => bounded(bytes, PER_BYTE, |mut bytes| {
            handshake(Welcome::receive(&mut bytes), Welcome::send, |sent| {
                Welcome::receive(sent)
            })
        }),
        // A message has a fixed size and is decoded in place.
        _ => bounded(bytes, 0, messages),
    }
}

fn batch(bytes: &[u8]) -> Outcome {
    const INPUTS: usize = 3;
    const OUTPUTS: usize = 2;

    let mut reader = BatchReader::default();
    let batch = reader
        .read(bytes, DATA, INPUTS, OUTPUTS)
        .map_err(|error| error.to_string())?;
    assert_eq!(batch.spans().len(), INPUTS);
    let mut taken = [0; INPUTS];
    for request in batch.requests() {
        assert!(request.outputs.iter().all(|output| *output < OUTPUTS));
        for part in request.inputs() {
            let span = batch.spans()[part.input];
            assert_eq!(part.span.offset, span.offset + taken[part.input]);
            taken[part.input] += part.span.len;
        }
        for (_, value) in request.parameters() {
            drop(format!("{value:?}"));
        }
    }
    for (span, taken) in batch.spans().iter().zip(taken) {
        assert!(span.len == taken && span.offset + span.len <= DATA);
    }
    Ok(())
}

fn response(bytes: &[u8]) -> Outcome {
    const OUTPUTS: usize = 2;

    let contents =
        ResponseContents::read(bytes, DATA, OUTPUTS).map_err(|error| error.to_string())?;
    // The other side reports that the request failed, which is also a valid response.
    let Ok(contents) = contents else {
        return Ok(());
    };
    for (part, dims) in contents.outputs() {
        assert!(part.output < OUTPUTS && part.span.offset + part.span.len <= DATA);
        assert!(dims.len() <= bytes.len() / size_of::<i64>());
    }
    Ok(())
}

/// A message of the handshake must survive a round trip.
fn handshake<T: PartialEq>(
    received: Result<T, SessionError>,
    send: fn(&T, &mut Vec<u8>) -> Result<(), SessionError>,
    receive: fn(&mut &[u8]) -> Result<T, SessionError>,
) -> Outcome {
    let message = received.map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    assert!(send(&message, &mut bytes).is_ok());
    assert!(receive(&mut &*bytes).is_ok_and(|again| again == message));
    Ok(())
}

/// A message must survive a round trip.
fn messages(bytes: &[u8]) -> Outcome {
    let mut words = bytes.chunks_exact(size_of::<u64>()).map(|word| {
        let mut bytes = [0; size_of::<u64>()];
        bytes.copy_from_slice(word);
        u64::from_le_bytes(bytes)
    });
    let mut refused = Ok(());
    while let Some(first) = words.next() {
        let mut message = Message::default();
        message[0] = first;
        for word in &mut message[1..] {
            *word = words.next().unwrap_or_default();
        }
        match ToWorker::read(&message) {
            Ok(down) => assert_eq!(ToWorker::read(&down.to_message()), Ok(down)),
            Err(error) => refused = Err(error.to_string()),
        }
        match ToServer::read(&message) {
            Ok(up) => assert_eq!(ToServer::read(&up.to_message()), Ok(up)),
            Err(error) => refused = Err(error.to_string()),
        }
    }
    refused
}
