use std::time::Duration;

use crate::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::{Closed, Sleep, Sleeper};

/// A message as it lies in a slot.
pub type Message = [u64; 8];

/// A place for one message: a line of the cache.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Slot([AtomicU64; 8]);

/// A number on a line of the cache of its own.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Line(AtomicU32);

/// The numbers of a ring in shared memory.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Indices {
    /// How many messages there have been; written by the producer.
    tail: Line,
    /// How many of them are done with; written by the consumer.
    head: Line,
    /// Whether the consumer sleeps.
    consumer: Line,
    /// Whether the producer sleeps.
    producer: Line,
}

/// The other side has written positions that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

/// A ring on shared memory.
#[derive(Debug, Clone, Copy)]
pub struct Ring<'a, S> {
    indices: &'a Indices,
    slots: &'a [Slot],
    sleep: S,
}

impl<'a, S: Sleep + Copy> Ring<'a, S> {
    /// The ring on numbers and slots that were zero at first. The number of slots is a power of two.
    pub fn new(indices: &'a Indices, slots: &'a [Slot], sleep: S) -> Self {
        debug_assert!(slots.len().is_power_of_two());
        Self {
            indices,
            slots,
            sleep,
        }
    }

    /// How many messages have room.
    pub fn capacity(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// Wakes whoever sleeps on this ring in this process, because it has been closed.
    pub fn close(&self) {
        self.consumer().wake();
        self.producer().wake();
    }

    /// Wakes the consumer in this process although there may be no message, because what it has
    /// said would interrupt its wait has become true.
    pub fn nudge(&self) {
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

    /// How many messages lie between two positions, of which one is the other side's.
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
