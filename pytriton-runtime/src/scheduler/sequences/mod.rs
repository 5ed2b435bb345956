//! Where the requests of sequences wait: Triton's sequence batcher.
//!
//! A sequence has a slot of one instance from its START to its END, or waits in the backlog for one; its requests run one
//! after another. [`Table`] is that as a pure rule, [`SequenceQueue`] holds the requests, and a task of its own sees to the
//! sequences that are idle and to those that have waited in the backlog for too long.
//!
//! Source: `sequence_batch_scheduler.cc` in Triton 2.51.

mod backlog;
mod ending;
mod entrance;
#[cfg(test)]
mod generation_tests;
#[cfg(test)]
mod hanging_tests;
mod instance;
mod live;
mod queue;
mod reaper;
mod restarts;
mod seating;
#[cfg(test)]
mod served_tests;
mod slot;
mod strategy;
mod table;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;

pub(super) use queue::SequenceQueue;
pub(super) use reaper::Reaper;
