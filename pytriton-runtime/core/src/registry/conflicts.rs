use crate::model::{
    BatcherOptions, CallOptions, ConfigMessage, QueuePolicy, SequenceScheduling, TimeoutAction,
};
use crate::text::equal;

use super::ModelOptions;
use super::violation::Violation;

const NO_BATCHING: &str = "this option needs batching: remove it, or remove `batching = false`";
const OPENAI_BATCHING: &str = "`#[openai]` processes each request separately: remove this option";
const OPENAI_NO_BATCHING: &str =
    "this option needs batching, and `#[openai]` processes each request separately: remove it";
const OPENAI_NO_BATCH_AXIS: &str =
    "`#[openai(embeddings)]` needs a batch axis: remove `batching = false`";
const OPENAI_CACHE: &str =
    "tritonserver's cache does not store finish reasons and token counts: remove this option";
const NO_DYNAMIC_BATCHING: &str =
    "this option needs dynamic batching: remove it, or remove `dynamic_batching = false`";
const NO_LEVELS: &str =
    "this option needs priority levels: write `priority_levels = …` too, or remove it";
const NO_TIMEOUT: &str = "a request can only shorten the model's timeout: write `default_timeout_microseconds = …` or `.default_timeout(…)` too, or remove it";
const NOTHING_TIMES_OUT: &str = "this option needs a timeout: write `default_timeout_microseconds = …` or `.default_timeout(…)` too, or remove it";
const NO_SEQUENCES: &str =
    "this option needs sequences: write `sequence_batching = direct` too, or remove it";
const NO_QUEUE: &str =
    "this option belongs to dynamic batching, which sequence models do not use: remove it";
const NO_COST: &str = "the cost needs an input that is counted: write `#[cost(…)]` above the function, or `.cost(\"…\")`";
const NO_COST_LIMIT: &str =
    "the cost needs a limit: write `max_batch_cost = …` in `#[pytriton::model(…)]`, or remove it";
const CACHED: &str = "`response_cache = true` returns the same response for the same inputs and ignores sequences: remove it";
const ONE_BATCH: &str =
    "an instance runs the batches of its sequences one at a time: remove this option";
const INLINE: &str =
    "the requests of a sequence wait for its instance and cannot run inline: remove `inline`";
const NOT_DIRECT: &str =
    "this option requires `sequence_batching = oldest`: change the strategy, or remove the option";
const NOT_OLDEST: &str =
    "this option requires `sequence_batching = direct`: change the strategy, or remove the option";
const DELAYED: &str = "later requests can overtake a delayed request: write `\"reject\"`, or remove `preserve_ordering`";

impl ModelOptions<'_> {
    /// Whether the function generates text for an OpenAI route, without a batch axis.
    pub(super) const fn generates_text(&self) -> bool {
        match self.openai {
            Some(surface) => surface.generates_text(),
            None => false,
        }
    }

    /// The error in combining an option that was given with others.
    pub const fn conflict(&self, option: &str) -> Violation {
        let flaw = self.sequence_conflict(option);
        if flaw.is_some() {
            return flaw;
        }
        match option.as_bytes() {
            b"name" | b"version" | b"version_policy" | b"instances" | b"sequence_batching" => None,
            b"inline" => self.inline_conflict(),
            b"batching" => self.batching_conflict(),
            b"description" => None,
            b"response_cache" => self.cache_conflict(),
            b"cost" if self.call_options.max_batch_cost == 0 => {
                // An option that would be refused is not suggested.
                match self.conflict("max_batch_cost") {
                    None => Some(NO_COST_LIMIT),
                    conflict => conflict,
                }
            }
            b"cost" => None,
            _ if applies_to_all_calls(option) || needs_sequences(option) => None,
            _ if self.generates_text() => Some(OPENAI_NO_BATCHING),
            _ if !self.batching => Some(NO_BATCHING),
            b"max_batch_size" | b"dynamic_batching" => None,
            _ if !self.dynamic_batching => Some(NO_DYNAMIC_BATCHING),
            option => self.batcher_conflict(option),
        }
    }

    /// The error in combining an option with sequences, or using it without them.
    const fn sequence_conflict(&self, option: &str) -> Violation {
        use SequenceScheduling::{Direct, Oldest};
        let Some(scheduling) = self.sequence_batching else {
            return match needs_sequences(option) {
                true => Some(NO_SEQUENCES),
                false => None,
            };
        };
        match option.as_bytes() {
            b"dynamic_batching" | b"priority_queue_policy" | b"max_batch_cost" => {
                return Some(NO_QUEUE);
            }
            b"response_cache" if self.call_options.response_cache => return Some(CACHED),
            b"batches_in_flight" if self.call_options.batches_in_flight > 1 => {
                return Some(ONE_BATCH);
            }
            b"inline" if self.call_options.inline => return Some(INLINE),
            b"preferred_batch_size" if matches!(scheduling, Direct) => return Some(NOT_DIRECT),
            _ if fields(QueuePolicy::ROWS, option).is_some() => return Some(NO_QUEUE),
            _ => {}
        }
        let Some(fields) = fields(BatcherOptions::ROWS, option) else {
            return None;
        };
        let (direct, oldest) = (
            has_field(fields, ConfigMessage::Direct),
            has_field(fields, ConfigMessage::Oldest),
        );
        match (has_field(fields, ConfigMessage::Sequence), scheduling) {
            (true, _) => None,
            (false, _) if !direct && !oldest => Some(NO_QUEUE),
            (false, Direct) if !direct => Some(NOT_DIRECT),
            (false, Oldest) if !oldest => Some(NOT_OLDEST),
            (false, _) => None,
        }
    }

    /// The error in combining a batch axis, or none, with an OpenAI route.
    const fn batching_conflict(&self) -> Violation {
        match (self.openai, self.batching) {
            (Some(surface), true) if surface.generates_text() => Some(OPENAI_BATCHING),
            (Some(surface), false) if !surface.generates_text() => Some(OPENAI_NO_BATCH_AXIS),
            _ => None,
        }
    }

    const fn inline_conflict(&self) -> Violation {
        match self.call_options.inline {
            true if self.call_options.batches_in_flight > 1 => Some(
                "an `inline` call uses its instance exclusively: remove `inline`, or `batches_in_flight`",
            ),
            true if self.call_options.max_call_microseconds > 0 => Some(
                "`max_call_microseconds` (`.max_call(…)`) cannot limit an `inline` call, which runs on a thread that serves connections: remove one of them",
            ),
            _ => None,
        }
    }

    /// The error in combining an option of the dynamic batcher with others.
    const fn batcher_conflict(&self, option: &[u8]) -> Violation {
        match option {
            b"preserve_ordering" if self.preserve_ordering && self.priority_levels > 1 => Some(
                "requests of several priority levels overtake each other: remove `preserve_ordering`, or `priority_levels`",
            ),
            b"default_priority_level" | b"priority_queue_policy" if self.priority_levels == 0 => {
                Some(NO_LEVELS)
            }
            b"max_batch_cost" if self.cost.is_none() => Some(NO_COST),
            option => queue_conflict(&self.queue_policy, option, self.preserve_ordering),
        }
    }

    const fn cache_conflict(&self) -> Violation {
        match self.call_options.response_cache {
            true if self.generates_text() => Some(OPENAI_CACHE),
            true if self.preserve_ordering && self.dynamic_batching => Some(
                "`response_cache` and `preserve_ordering` exclude each other: remove one\nnote: after tritonserver has served a response from its cache, a model that preserves the order sends no further responses",
            ),
            _ => None,
        }
    }
}

/// The error in combining an option of a queue policy with others.
pub(super) const fn queue_conflict(
    policy: &QueuePolicy,
    option: &[u8],
    ordered: bool,
) -> Violation {
    let delays = matches!(policy.timeout_action, TimeoutAction::Delay);
    let times_out = policy.default_timeout_microseconds > 0;
    match option {
        b"timeout_action" if delays && times_out && ordered => Some(DELAYED),
        b"timeout_action" if !times_out => Some(NOTHING_TIMES_OUT),
        b"allow_timeout_override" if policy.allow_timeout_override && !times_out => {
            Some(NO_TIMEOUT)
        }
        _ => None,
    }
}

type Fields = &'static [(ConfigMessage, u32)];

/// The fields of an option, if it is in the table.
const fn fields(rows: &[(&str, Fields)], option: &str) -> Option<Fields> {
    let mut index = 0;
    while index < rows.len() {
        let (name, fields) = rows[index];
        if equal(name, option) {
            return Some(fields);
        }
        index += 1;
    }
    None
}

const fn has_field(fields: Fields, message: ConfigMessage) -> bool {
    let mut index = 0;
    while index < fields.len() {
        if fields[index].0 as u8 == message as u8 {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether an option is about the calls of the function with and without batching.
const fn applies_to_all_calls(option: &str) -> bool {
    fields(CallOptions::ROWS, option).is_some() && !equal(option, "max_batch_cost")
}

/// Whether an option is one of the sequence batcher only.
const fn needs_sequences(option: &str) -> bool {
    match fields(BatcherOptions::ROWS, option) {
        Some(fields) => !has_field(fields, ConfigMessage::Dynamic),
        None => false,
    }
}
