//! The positions of a ring, written by its two sides and by a hostile process.

use std::collections::VecDeque;

use pytriton_backend::ring::fuzzing::Shared;
use pytriton_backend::ring::{Consumer, Producer, PushError};

use crate::Outcome;
use crate::reserved::within_constant;

/// The size of the queue of expected messages. The ring itself must not allocate.
const QUEUE: usize = 64;

/// Runs steps of five bytes: an operation and a position. Until a position is written from outside,
/// the ring must behave like a queue.
pub(crate) fn ring(input: &[u8]) -> Outcome {
    within_constant(QUEUE, || steps(input))
}

fn steps(input: &[u8]) -> Outcome {
    let shared = Shared::default();
    let ring = shared.ring();
    let (mut producer, mut consumer) = (Producer::default(), Consumer::default());
    let mut expected = Some(VecDeque::new());
    let (mut published, mut released) = (0, 0);
    for step in input.chunks_exact(5) {
        let [kind, position @ ..] = step else {
            continue;
        };
        let position = position
            .iter()
            .fold(0, |all, byte| all << 8 | u32::from(*byte));
        match kind % 8 {
            0 | 1 => {
                let pushed = producer.push(&ring, &[position.into(); 8]);
                if let Some(queue) = &mut expected {
                    let has_space = producer.written() - released < ring.capacity();
                    // `written` already includes a message that was pushed.
                    match pushed {
                        Ok(()) => queue.push_back(position),
                        Err(PushError::Full) => assert!(!has_space, "full, and has space"),
                        Err(PushError::Broken) => panic!("broken without a reason"),
                    }
                }
            }
            2 => {
                producer.publish(&ring);
                published = producer.written();
            }
            3 | 4 => {
                let popped = consumer.pop(&ring);
                if let Some(queue) = &mut expected {
                    let Ok(popped) = popped else {
                        panic!("broken without a reason");
                    };
                    let unpublished = producer.written().wrapping_sub(published) as usize;
                    match popped {
                        Some(message) => {
                            let next = queue.pop_front().map(u64::from);
                            assert_eq!(Some(message[0]), next);
                        }
                        None => assert_eq!(queue.len(), unpublished),
                    }
                }
            }
            5 => {
                consumer.release(&ring);
                if let Some(queue) = &expected {
                    released = producer
                        .written()
                        .wrapping_sub(u32::try_from(queue.len()).unwrap_or(u32::MAX));
                }
            }
            6 => {
                shared.set_tail(position);
                expected = None;
            }
            _ => {
                shared.set_head(position);
                expected = None;
            }
        }
        if let Ok(count) = producer.in_flight(&ring) {
            assert!(count <= ring.capacity());
        }
        let space = producer.has_space(&ring);
        assert_eq!(space.is_ok(), producer.done(&ring).is_ok());
    }
    Ok(())
}
