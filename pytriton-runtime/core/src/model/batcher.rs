use std::time::Duration;

use super::{BatcherOptions, CallOptions, ConfigMessage, OptionRow, QueuePolicy};

/// How requests form batches: Triton's dynamic batcher or sequence batcher.
///
/// Source: `ModelDynamicBatching` and `ModelSequenceBatching` in Triton's `model_config.proto`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Batcher {
    /// The strategy of the sequence batcher: one instance serves the requests of a sequence one
    /// after the other. `None` for the dynamic batcher.
    pub sequences: Option<SequenceScheduling>,
    /// The options of both. Options of the other batcher have no effect.
    pub options: BatcherOptions,
    /// Batch sizes that are sent at once when they are reached; empty for the maximum only.
    pub preferred_batch_size: Vec<u32>,
    /// The queue policy of all priority levels without their own.
    pub queue_policy: QueuePolicy,
    /// The priority levels with their own policy, ascending.
    pub priority_queue_policy: Vec<(u64, QueuePolicy)>,
}

/// Triton's sequence batching strategies, without their options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SequenceScheduling {
    /// Each sequence has its own row in the batches of its instance.
    Direct,
    /// The oldest requests of all sequences are served first.
    Oldest,
}

/// The action taken when the timeout of a queued request expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeoutAction {
    /// It is refused with an error.
    Reject,
    /// It is served after all requests whose timeout has not expired.
    Delay,
}

impl Batcher {
    /// The dynamic batcher with the default options.
    pub const DYNAMIC: Self = Self {
        sequences: None,
        options: BatcherOptions::DEFAULT,
        preferred_batch_size: Vec::new(),
        queue_policy: QueuePolicy::DEFAULT,
        priority_queue_policy: Vec::new(),
    };

    /// Whether an option has an effect on this batcher.
    pub fn has(&self, row: &OptionRow) -> bool {
        use ConfigMessage::{Direct, Dynamic, Oldest, Queue, Sequence};
        let messages = match self.sequences {
            None => [Dynamic, Queue],
            Some(SequenceScheduling::Direct) => [Sequence, Direct],
            Some(SequenceScheduling::Oldest) => [Sequence, Oldest],
        };
        let mut messages = messages.into_iter();
        messages.any(|message| row.number(message).is_some())
    }

    /// The number of sequences that an instance serves concurrently.
    pub fn slots(&self, max_batch_size: u32) -> u32 {
        match self.sequences {
            Some(SequenceScheduling::Oldest) => self.options.max_candidate_sequences,
            _ => max_batch_size.max(1),
        }
    }
}

impl CallOptions {
    /// The time limit of a call; `None` for no limit.
    pub fn call_limit(&self) -> Option<Duration> {
        let limited = self.max_call_microseconds > 0;
        limited.then(|| Duration::from_micros(self.max_call_microseconds))
    }

    /// The maximum cost of a batch; `u64::MAX` for no limit.
    pub fn cost_limit(&self) -> u64 {
        match self.max_batch_cost {
            0 => u64::MAX,
            limit => limit,
        }
    }
}

impl SequenceScheduling {
    /// The strategy with this name: `direct` or `oldest`.
    pub const fn named(name: &str) -> Option<Self> {
        match name.as_bytes() {
            b"direct" => Some(Self::Direct),
            b"oldest" => Some(Self::Oldest),
            _ => None,
        }
    }

    /// The name in `sequence_batching = …`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Oldest => "oldest",
        }
    }
}

impl TimeoutAction {
    /// The action with this name: `reject` or `delay`.
    pub const fn named(name: &str) -> Option<Self> {
        match name.as_bytes() {
            b"reject" => Some(Self::Reject),
            b"delay" => Some(Self::Delay),
            _ => None,
        }
    }

    /// The name and number in Triton's model configuration.
    pub const fn config_value(self) -> (&'static str, u32) {
        match self {
            Self::Reject => ("REJECT", 0),
            Self::Delay => ("DELAY", 1),
        }
    }

    /// The name in `timeout_action = "…"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::Delay => "delay",
        }
    }
}
