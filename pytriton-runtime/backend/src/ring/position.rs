use std::time::Duration;

use crate::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::{Closed, Sleep, Sleeper};

/// A message as stored in a slot.
pub type Message = [u64; 8];

/// A slot for one message: one cache line.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Slot([AtomicU64; 8]);

/// A number on its own cache line.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct PaddedAtomic(AtomicU32);

/// The indices of a ring in shared memory.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Indices {
    /// The number of messages written; set by the producer.
    tail: PaddedAtomic,
    /// The number of messages released; set by the consumer.
    head: PaddedAtomic,
    /// Whether the consumer is asleep.
    consumer: PaddedAtomic,
    /// Whether the producer is asleep.
    producer: PaddedAtomic,
}

/// The peer has written invalid positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

/// A ring in shared memory.
#[derive(Debug, Clone, Copy)]
pub struct Ring<'a, S> {
    indices: &'a Indices,
    slots: &'a [Slot],
    sleep: S,
}

impl<'a, S: Sleep + Copy> Ring<'a, S> {
    /// Creates a ring on indices and slots that were initially zero. The number of slots must be a
    /// power of two.
    pub fn new(indices: &'a Indices, slots: &'a [Slot], sleep: S) -> Self {
        debug_assert!(slots.len().is_power_of_two());
        Self {
            indices,
            slots,
            sleep,
        }
    }

    /// Returns the number of slots.
    pub fn capacity(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// Wakes the sleepers of this process, because the ring was closed.
    pub fn close(&self) {
        self.consumer().wake();
        self.producer().wake();
    }

    /// Wakes the consumer in this process even without a message, because the condition that
    /// interrupts its wait has become true.
    pub fn interrupt(&self) {
        self.consumer().wake();
    }

    pub(super) fn store(&self, position: u32, message: &Message) {
        let Slot(words) = self.slot(position);
        for (word, value) in words.iter().zip(message) {
            // Published by `set_tail`.
            word.store(*value, Ordering::Relaxed);
        }
    }

    pub(super) fn load(&self, position: u32) -> Message {
        let Slot(words) = self.slot(position);
        let mut message = Message::default();
        for (value, word) in message.iter_mut().zip(words) {
            *value = word.load(Ordering::Relaxed);
        }
        message
    }

    pub(super) fn set_tail(&self, tail: u32) {
        // Release: pairs with the acquire in `tail`.
        self.indices.tail.0.store(tail, Ordering::Release);
        self.consumer().wake();
    }

    pub(super) fn set_head(&self, head: u32) {
        // Release: pairs with the acquire in `head`.
        self.indices.head.0.store(head, Ordering::Release);
        self.producer().wake();
    }

    pub(super) fn tail(&self) -> u32 {
        self.indices.tail.0.load(Ordering::Acquire)
    }

    pub(super) fn head(&self) -> u32 {
        self.indices.head.0.load(Ordering::Acquire)
    }

    /// Returns the number of messages between two positions; the peer has written one of them.
    pub(super) fn between(&self, head: u32, tail: u32) -> Result<u32, Broken> {
        let count = tail.wrapping_sub(head);
        match count <= self.capacity() {
            true => Ok(count),
            false => Err(Broken),
        }
    }

    pub(super) fn sleep_for_message(
        &self,
        next: u32,
        closed: &AtomicBool,
        at_most: Option<Duration>,
        interrupted: impl FnOnce() -> bool,
    ) -> Result<(), Closed> {
        self.consumer()
            .wait(closed, at_most, || self.tail() != next || interrupted())
    }

    pub(super) fn sleep_for_slot(&self, seen: u32, closed: &AtomicBool) -> Result<(), Closed> {
        self.producer().wait(closed, None, || self.head() != seen)
    }

    fn consumer(&self) -> Sleeper<'a, S> {
        Sleeper::new(&self.indices.consumer.0, self.sleep)
    }

    fn producer(&self) -> Sleeper<'a, S> {
        Sleeper::new(&self.indices.producer.0, self.sleep)
    }

    fn slot(&self, position: u32) -> &'a Slot {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }
}
