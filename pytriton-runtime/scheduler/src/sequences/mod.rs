//! Queues of sequences: Triton's sequence batcher.
//!
//! A sequence has a slot of one instance from its START to its END, or waits for one in the
//! backlog. Its requests are executed one after another. [`Table`](table::Table) implements this as
//! pure logic, and [`SequenceQueue`] holds the requests. A separate task expires sequences that are
//! idle or have waited in the backlog for too long.
//!
//! Source: `sequence_batch_scheduler.cc` in Triton 2.51.

mod backlog;
mod ending;
mod enqueue;
#[cfg(test)]
mod generation_tests;
#[cfg(test)]
mod stalled_tests;

mod active_sequences;
mod instance;
mod queue;
mod restarts;
#[cfg(test)]
mod served_tests;
mod slot;
mod slot_assignment;
mod start_threshold;
mod strategy;
mod table;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;

pub(super) use queue::SequenceQueue;
