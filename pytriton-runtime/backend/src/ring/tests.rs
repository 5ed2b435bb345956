//! Tests of every interleaving of the accesses of two sides.
#![cfg(loom)]

use std::collections::VecDeque;
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::sync::{Condvar, Mutex};
use loom::thread;

use super::*;
use crate::sync::{Arc, AtomicBool, AtomicU32, Ordering};

/// A futex whose sleepers never wake by themselves, so that a lost wake-up is a deadlock, which
/// loom detects. Only a timed sleep wakes by itself.
#[derive(Debug, Default)]
struct Bed {
    lock: Mutex<()>,
    woken: Condvar,
}

impl Sleep for &Bed {
    fn sleep(&self, word: &AtomicU32, seen: u32, at_most: Option<Duration>) {
        if at_most.is_some() {
            thread::yield_now();
            return;
        }
        let guard = self.lock.lock().unwrap();
        if word.load(Ordering::SeqCst) == seen {
            drop(self.woken.wait(guard).unwrap());
        }
    }

    fn wake(&self, _word: &AtomicU32) {
        drop(self.lock.lock().unwrap());
        self.woken.notify_all();
    }
}

/// A ring of two slots, and the flag for the end of its session.
#[derive(Debug, Default)]
struct Shared {
    indices: Indices,
    slots: [Slot; 2],
    consumer: Bed,
    closed: AtomicBool,
}

impl Shared {
    fn ring(&self) -> Ring<'_, &Bed> {
        Ring::new(&self.indices, &self.slots, &self.consumer)
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.ring().close();
    }

    fn push(&self, producer: &mut Producer, number: u64) -> Result<(), Closed> {
        let ring = self.ring();
        loop {
            let seen = producer.done(&ring).unwrap();
            match producer.push(&ring, &[number; 8]) {
                Ok(()) => break,
                Err(PushError::Full) => producer.wait(&ring, seen, &self.closed)?,
                Err(PushError::Broken) => panic!("broken"),
            }
        }
        producer.publish(&ring);
        Ok(())
    }

    fn pop(&self, consumer: &mut Consumer, at_most: Option<Duration>) -> Result<u64, Closed> {
        let ring = self.ring();
        loop {
            if let Some(message) = consumer.pop(&ring).unwrap() {
                assert_eq!(message, [message[0]; 8]);
                consumer.release(&ring);
                return Ok(message[0]);
            }
            consumer.wait(&ring, &self.closed, at_most)?;
        }
    }
}

/// Checks all interleavings with at most that many preemptions. More would take hours.
fn model(preemptions: usize, test: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

#[test]
fn messages_arrive_once_and_no_wakeup_is_lost() {
    model(3, || {
        let shared = Arc::new(Shared::default());
        let other = Arc::clone(&shared);
        let consumer = thread::spawn(move || {
            let mut consumer = Consumer::default();
            for number in 1..=3 {
                assert_eq!(other.pop(&mut consumer, None), Ok(number));
            }
        });
        let mut producer = Producer::default();
        for number in 1..=3 {
            // The third waits for a slot.
            shared.push(&mut producer, number).unwrap();
        }
        consumer.join().unwrap();
    });
}

#[test]
fn messages_published_together_arrive_in_order() {
    model(3, || {
        let shared = Arc::new(Shared::default());
        let other = Arc::clone(&shared);
        let consumer = thread::spawn(move || {
            let mut consumer = Consumer::default();
            [(); 2].map(|()| other.pop(&mut consumer, None).unwrap())
        });
        let (ring, mut producer) = (shared.ring(), Producer::default());
        producer.push(&ring, &[1; 8]).unwrap();
        producer.push(&ring, &[2; 8]).unwrap();
        producer.publish(&ring);
        assert_eq!(consumer.join().unwrap(), [1, 2]);
    });
}

#[test]
fn closing_wakes_consumer_and_producer() {
    model(2, || {
        let shared = Arc::new(Shared::default());
        let full = Arc::new(Shared::default());
        let (other, all) = (Arc::clone(&shared), Arc::clone(&full));
        let consumer = thread::spawn(move || {
            let mut consumer = Consumer::default();
            let mut read = 0;
            // Messages published before the end are read before the end is seen.
            while other.pop(&mut consumer, None).is_ok() {
                read += 1;
            }
            read
        });
        let producer = thread::spawn(move || {
            let mut producer = Producer::default();
            let mut pushed = 0;
            while all.push(&mut producer, 1).is_ok() {
                pushed += 1;
            }
            pushed
        });
        let mut own = Producer::default();
        shared.push(&mut own, 1).unwrap();
        shared.close();
        full.close();
        assert_eq!(consumer.join().unwrap(), 1);
        assert_eq!(producer.join().unwrap(), 2);
    });
}

#[test]
fn timed_wait_loses_no_message() {
    model(2, || {
        let shared = Arc::new(Shared::default());
        let other = Arc::clone(&shared);
        let consumer = thread::spawn(move || {
            let mut consumer = Consumer::default();
            let some = Some(Duration::from_millis(1));
            assert_eq!(other.pop(&mut consumer, some), Ok(7));
        });
        let mut producer = Producer::default();
        shared.push(&mut producer, 7).unwrap();
        consumer.join().unwrap();
    });
}

/// Like the reader of a session, which waits without a limit while no batch is in flight.
#[test]
fn interrupt_between_check_and_wait_is_not_lost() {
    model(3, || {
        let shared = Arc::new(Shared::default());
        let batches = Arc::new(Mutex::new(0));
        let (other, entered) = (Arc::clone(&shared), Arc::clone(&batches));
        let reader = thread::spawn(move || {
            let consumer = Consumer::default();
            let has_batch = || *entered.lock().unwrap() > 0;
            while !has_batch() {
                let (ring, closed) = (other.ring(), &other.closed);
                consumer
                    .wait_unless(&ring, closed, None, has_batch)
                    .unwrap();
            }
        });
        *batches.lock().unwrap() += 1;
        shared.ring().interrupt();
        reader.join().unwrap();
    });
}

/// Memory that is passed with a message and returned with another. Loom detects concurrent use by
/// both sides.
#[test]
fn memory_is_reused_only_after_release() {
    model(2, || {
        let memory = Arc::new(UnsafeCell::new(0_u64));
        let (down, up) = (Arc::new(Shared::default()), Arc::new(Shared::default()));
        let (lent, asked, returned) = (Arc::clone(&memory), Arc::clone(&down), Arc::clone(&up));
        let reader = thread::spawn(move || {
            let (mut consumer, mut producer) = (Consumer::default(), Producer::default());
            let first = asked.pop(&mut consumer, None).unwrap();
            let keeper = Arc::clone(&lent);
            // Another thread keeps the tensor longer.
            let keeper = thread::spawn(move || {
                // SAFETY: the memory is not written until it is returned.
                assert_eq!(keeper.with(|memory| unsafe { *memory }), first);
            });
            keeper.join().unwrap();
            returned.push(&mut producer, first).unwrap();
            let second = asked.pop(&mut consumer, None).unwrap();
            // SAFETY: as above.
            assert_eq!(lent.with(|memory| unsafe { *memory }), second);
        });
        let (mut producer, mut consumer) = (Producer::default(), Consumer::default());
        // SAFETY: the memory has not been passed yet.
        memory.with_mut(|memory| unsafe { *memory = 1 });
        down.push(&mut producer, 1).unwrap();
        assert_eq!(up.pop(&mut consumer, None), Ok(1));
        // SAFETY: it was returned.
        memory.with_mut(|memory| unsafe { *memory = 2 });
        down.push(&mut producer, 2).unwrap();
        reader.join().unwrap();
    });
}

/// The memory of a response is returned with its slot.
#[test]
fn memory_is_released_with_its_slot() {
    model(2, || {
        let memory = Arc::new(UnsafeCell::new(0_u64));
        let shared = Arc::new(Shared::default());
        let (lent, other) = (Arc::clone(&memory), Arc::clone(&shared));
        let reader = thread::spawn(move || {
            let (ring, mut consumer) = (other.ring(), Consumer::default());
            for number in 1..=2 {
                while consumer.pop(&ring).unwrap().is_none() {
                    consumer.wait(&ring, &other.closed, None).unwrap();
                }
                // SAFETY: the slot is not released.
                assert_eq!(lent.with(|memory| unsafe { *memory }), number);
                consumer.release(&ring);
            }
        });
        let mut producer = Producer::default();
        for number in 1..=2 {
            let ring = shared.ring();
            loop {
                let seen = producer.done(&ring).unwrap();
                if seen == producer.written() {
                    break;
                }
                producer.wait(&ring, seen, &shared.closed).unwrap();
            }
            // SAFETY: all slots are released.
            memory.with_mut(|memory| unsafe { *memory = number });
            shared.push(&mut producer, number).unwrap();
        }
        reader.join().unwrap();
    });
}

/// A descriptor is sent over the socket before the message that refers to it.
#[test]
fn descriptor_arrives_before_its_message() {
    model(3, || {
        let socket = Arc::new(Mutex::new(VecDeque::new()));
        let shared = Arc::new(Shared::default());
        let (received, other) = (Arc::clone(&socket), Arc::clone(&shared));
        let receiver = thread::spawn(move || {
            let mut consumer = Consumer::default();
            for number in [5, 6] {
                assert_eq!(other.pop(&mut consumer, None), Ok(number));
                assert_eq!(received.lock().unwrap().pop_front(), Some(number));
            }
        });
        let mut producer = Producer::default();
        for number in [5, 6] {
            socket.lock().unwrap().push_back(number);
            shared.push(&mut producer, number).unwrap();
        }
        receiver.join().unwrap();
    });
}
