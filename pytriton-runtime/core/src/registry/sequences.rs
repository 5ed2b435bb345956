use crate::model::{SequenceBatching, SequenceStrategy};

use super::ModelOptions;
use super::rules::{EXPECTED_INT32, Flaw, MAX_INT32, range};

/// Triton's sequence batching strategies, without their options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceScheduling {
    /// Each sequence has its own row in the batches of its instance.
    Direct,
    /// The oldest requests of all sequences are served first.
    Oldest,
}

const NO_SEQUENCES: &str =
    "this option needs sequences: write `sequence_batching = direct` too, or remove it";
const NO_QUEUE: &str =
    "this option belongs to dynamic batching, which sequence models do not use: remove it";
const CACHED: &str = "`response_cache = true` returns the same response for the same inputs and ignores sequences: remove it";
const ONE_BATCH: &str =
    "an instance runs the batches of its sequences one at a time: remove this option";
const INLINE: &str =
    "the requests of a sequence wait for its instance and cannot run inline: remove `inline`";
const NOT_DIRECT: &str =
    "this option requires `sequence_batching = oldest`: change the strategy, or remove the option";
const NOT_OLDEST: &str =
    "this option requires `sequence_batching = direct`: change the strategy, or remove the option";

impl SequenceScheduling {
    /// The strategy with this name: `direct` or `oldest`.
    pub const fn named(name: &str) -> Option<Self> {
        match name.as_bytes() {
            b"direct" => Some(Self::Direct),
            b"oldest" => Some(Self::Oldest),
            _ => None,
        }
    }
}

impl ModelOptions<'_> {
    /// The error in the value of a sequence option.
    pub(super) const fn sequence_flaw(&self, option: &[u8]) -> Flaw {
        let utilization = self.minimum_slot_utilization;
        match option {
            b"sequence_batching" if self.sequence_batching.is_none() => {
                Some("expected `direct` or `oldest`")
            }
            b"max_sequence_idle_microseconds" => range(
                self.max_sequence_idle_microseconds,
                u64::MAX,
                "expected at least 1 microsecond",
            ),
            b"max_candidate_sequences" => range(
                self.max_candidate_sequences as u64,
                MAX_INT32,
                EXPECTED_INT32,
            ),
            b"minimum_slot_utilization" if !(utilization >= 0.0 && utilization <= 1.0) => {
                Some("expected a number from 0.0 to 1.0")
            }
            _ => None,
        }
    }

    /// The error in combining an option with sequences, or using it without them.
    pub(super) const fn sequence_conflict(&self, option: &[u8]) -> Flaw {
        use SequenceScheduling::{Direct, Oldest};
        let Some(scheduling) = self.sequence_batching else {
            return match option {
                b"max_sequence_idle_microseconds"
                | b"minimum_slot_utilization"
                | b"max_candidate_sequences" => Some(NO_SEQUENCES),
                _ => None,
            };
        };
        match (option, scheduling) {
            (b"dynamic_batching" | b"max_queue_size" | b"default_timeout_microseconds", _)
            | (b"timeout_action" | b"allow_timeout_override", _)
            | (b"priority_levels" | b"default_priority_level" | b"priority_queue_policy", _) => {
                Some(NO_QUEUE)
            }
            (b"response_cache", _) if self.call_options.response_cache => Some(CACHED),
            (b"batches_in_flight", _) if self.call_options.batches_in_flight > 1 => Some(ONE_BATCH),
            (b"inline", _) if self.call_options.inline => Some(INLINE),
            (b"preferred_batch_size" | b"preserve_ordering", Direct) => Some(NOT_DIRECT),
            (b"max_candidate_sequences", Direct) => Some(NOT_DIRECT),
            (b"minimum_slot_utilization", Oldest) => Some(NOT_OLDEST),
            _ => None,
        }
    }

    /// The sequence batcher, with Triton's defaults; `None` for a model without sequences.
    pub(super) fn sequencer(&self) -> Option<SequenceBatching> {
        let strategy = match self.sequence_batching? {
            SequenceScheduling::Direct => SequenceStrategy::Direct {
                max_queue_delay_microseconds: self.max_queue_delay_microseconds,
                minimum_slot_utilization: self.minimum_slot_utilization,
            },
            SequenceScheduling::Oldest => SequenceStrategy::Oldest {
                max_candidate_sequences: match self.max_candidate_sequences {
                    0 => self.rows().max(1),
                    sequences => sequences,
                },
                preferred_batch_size: self.preferred_batch_size.to_vec(),
                max_queue_delay_microseconds: self.max_queue_delay_microseconds,
                preserve_ordering: self.preserve_ordering,
            },
        };
        Some(SequenceBatching {
            max_sequence_idle_microseconds: match self.max_sequence_idle_microseconds {
                0 => SequenceBatching::DEFAULT_IDLE_MICROSECONDS,
                microseconds => microseconds,
            },
            strategy,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_defaults_match_triton() {
        use SequenceScheduling::{Direct, Oldest};
        let table = [
            (Direct, 0, 0, 0, 1_000_000, 1),
            (Direct, 0, 7, 4, 7, 4),
            (Oldest, 0, 0, 0, 1_000_000, 1),
            (Oldest, 0, 1, 4, 1, 4),
            (Oldest, 9, 0, 4, 1_000_000, 9),
            (Oldest, 2, 0, 4, 1_000_000, 2),
        ];
        for (scheduling, candidates, idle, rows, expected_idle, expected_slots) in table {
            let options = ModelOptions {
                max_batch_size: rows,
                sequence_batching: Some(scheduling),
                max_candidate_sequences: candidates,
                max_sequence_idle_microseconds: idle,
                ..ModelOptions::DEFAULT
            };
            let batching = options.sequencer().unwrap();
            let got = batching.max_sequence_idle_microseconds;
            assert_eq!(got, expected_idle, "{options:?}");
            assert_eq!(batching.slots(rows), expected_slots, "{options:?}");
        }
    }
}
