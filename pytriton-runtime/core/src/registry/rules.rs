use crate::model::{CallOptions, Device, InstanceGroup, QueuePolicy, TimeoutAction};

use super::ModelOptions;

/// The maximum of Triton's 32-bit fields.
pub(super) const MAX_INT32: u64 = 2_147_483_647;

pub(super) const EXPECTED_INT32: &str = "expected a number from 1 to 2147483647";
const NO_BATCHING: &str = "this option needs batching: remove it, or remove `batching = false`";
const OPENAI_BATCHING: &str = "`#[openai]` processes each request separately: remove this option";
const OPENAI_NO_BATCHING: &str =
    "this option needs batching, and `#[openai]` processes each request separately: remove it";
const OPENAI_CACHE: &str =
    "tritonserver's cache does not store finish reasons and token counts: remove this option";
const NO_DYNAMIC_BATCHING: &str =
    "this option needs dynamic batching: remove it, or remove `dynamic_batching = false`";
const NO_LEVELS: &str =
    "this option needs priority levels: write `priority_levels = …` too, or remove it";
const NO_TIMEOUT: &str = "a request can only shorten the model's timeout: write `default_timeout_microseconds = …` too, or remove it";
const NOTHING_TIMES_OUT: &str =
    "this option needs a timeout: write `default_timeout_microseconds = …` too, or remove it";
const DELAYED: &str = "later requests can overtake a delayed request: write `\"reject\"`, or remove `preserve_ordering`";

/// The reason why an option is invalid, with what to write instead.
pub(super) type Flaw = Option<&'static str>;

impl ModelOptions<'_> {
    /// The error in the value of an option that was given.
    ///
    /// Generated code calls it at compile time; run-time models call it when they are built.
    pub const fn flaw(&self, option: &str) -> Flaw {
        if listed(CallOptions::NAMES, option) {
            return self.call_options.flaw(option);
        }
        match option.as_bytes() {
            b"name" => name_flaw(self.name),
            b"version" => range(self.version as u64, MAX_INT32, EXPECTED_INT32),
            b"version_policy" => self.version_policy_flaw(),
            b"instances" => self.instances_flaw(),
            b"max_batch_size" => range(self.max_batch_size as u64, MAX_INT32, EXPECTED_INT32),
            b"preferred_batch_size" if self.preferred_batch_size.is_empty() => {
                Some("an empty list has no effect: remove it")
            }
            b"priority_levels" if self.priority_levels == 0 => {
                Some("expected a number of at least 1")
            }
            b"max_queue_size" if self.queue_policy.max_queue_size as u64 > MAX_INT32 => {
                Some("expected a number from 0 to 2147483647")
            }
            // Without levels, the option itself is the error.
            b"default_priority_level" if self.priority_levels > 0 => range(
                self.default_priority_level,
                self.priority_levels,
                "expected a number from 1 to `priority_levels`",
            ),
            option => self.sequence_flaw(option),
        }
    }

    /// The error in combining an option that was given with others.
    pub const fn conflict(&self, option: &str) -> Flaw {
        let flaw = self.sequence_conflict(option.as_bytes());
        if flaw.is_some() {
            return flaw;
        }
        match option.as_bytes() {
            b"sequence_batching" | b"max_sequence_idle_microseconds" => None,
            b"minimum_slot_utilization" | b"max_candidate_sequences" => None,
            b"name" | b"version" | b"version_policy" | b"instances" => None,
            b"inline" => self.inline_conflict(),
            b"batching" if self.batching && self.openai.is_some() => Some(OPENAI_BATCHING),
            b"description" | b"batching" => None,
            b"response_cache" => self.cache_flaw(),
            _ if listed(CallOptions::NAMES, option) => None,
            _ if self.openai.is_some() => Some(OPENAI_NO_BATCHING),
            _ if !self.batching => Some(NO_BATCHING),
            b"max_batch_size" | b"dynamic_batching" => None,
            _ if !self.dynamic_batching => Some(NO_DYNAMIC_BATCHING),
            option => self.batcher_flaw(option),
        }
    }

    const fn inline_conflict(&self) -> Flaw {
        match self.call_options.inline {
            true if self.call_options.batches_in_flight > 1 => Some(
                "an `inline` call uses its instance exclusively: remove `inline`, or `batches_in_flight`",
            ),
            true if self.call_options.max_call_microseconds > 0 => Some(
                "`max_call_microseconds` cannot limit an `inline` call, which runs on a thread that serves connections: remove one of them",
            ),
            _ => None,
        }
    }

    /// The same for the options of the dynamic batcher.
    const fn batcher_flaw(&self, option: &[u8]) -> Flaw {
        match option {
            b"preserve_ordering" if self.preserve_ordering && self.priority_levels > 1 => Some(
                "requests of several priority levels overtake each other: remove `preserve_ordering`, or `priority_levels`",
            ),
            b"default_priority_level" | b"priority_queue_policy" if self.priority_levels == 0 => {
                Some(NO_LEVELS)
            }
            option => queue_flaw(&self.queue_policy, option, self.preserve_ordering),
        }
    }

    const fn cache_flaw(&self) -> Flaw {
        match self.call_options.response_cache {
            true if self.openai.is_some() => Some(OPENAI_CACHE),
            true if self.preserve_ordering && self.dynamic_batching => Some(
                "`response_cache` and `preserve_ordering` exclude each other: remove one\nnote: after tritonserver has served a response from its cache, a model that preserves the order sends no further responses",
            ),
            _ => None,
        }
    }

    const fn instances_flaw(&self) -> Flaw {
        if self.instances.is_empty() {
            return Some("a model needs an instance: write `[cpu(1)]`");
        }
        let mut index = 0;
        while index < self.instances.len() {
            if let Some(flaw) = self.instance_flaw(index) {
                return Some(flaw);
            }
            index += 1;
        }
        None
    }

    /// The error in the instance group with this index.
    pub const fn instance_flaw(&self, index: usize) -> Flaw {
        let InstanceGroup { device, count } = self.instances[index];
        match device {
            Device::Gpu(number) if number as u64 > MAX_INT32 => {
                return Some("expected the number of a GPU, from 0 to 2147483647");
            }
            Device::Gpu(_) => {}
            Device::Cpu => {
                let flaw = range(count as u64, MAX_INT32, EXPECTED_INT32);
                if flaw.is_some() {
                    return flaw;
                }
            }
        }
        let mut earlier = 0;
        let mut before = 0;
        while earlier < index {
            let group = self.instances[earlier];
            if matches!((device, group.device), (Device::Cpu, Device::Cpu)) {
                return Some("`cpu` is given twice: write one with the sum of both");
            }
            before += group.count as u64;
            earlier += 1;
        }
        match before + count as u64 > MAX_INT32 {
            true => Some("a model has at most 2147483647 instances: write fewer"),
            false => None,
        }
    }

    /// The error in the preferred batch size with this index.
    pub const fn preferred_flaw(&self, index: usize) -> Flaw {
        // Without batching, the option itself is the error.
        if !self.batching {
            return None;
        }
        let size = self.preferred_batch_size[index];
        if size == 0 || size > self.max_batch_size {
            return Some("a preferred batch size must be from 1 to `max_batch_size`");
        }
        let mut earlier = 0;
        while earlier < index {
            if self.preferred_batch_size[earlier] == size {
                return Some("this batch size is given twice: remove one");
            }
            earlier += 1;
        }
        None
    }

    /// The error in an option of the level policy with this index.
    pub const fn level_flaw(&self, index: usize, option: &str) -> Flaw {
        let (level, policy) = &self.priority_queue_policy[index];
        match option.as_bytes() {
            // Without levels, the policy itself is the error.
            b"level" if self.priority_levels == 0 => None,
            b"level" if *level == 0 || *level > self.priority_levels => {
                Some("expected a number from 1 to `priority_levels`")
            }
            b"level" => {
                let mut earlier = 0;
                while earlier < index {
                    if self.priority_queue_policy[earlier].0 == *level {
                        return Some("this level already has a policy: remove one");
                    }
                    earlier += 1;
                }
                None
            }
            option => queue_flaw(policy, option, self.preserve_ordering),
        }
    }
}

const fn queue_flaw(policy: &QueuePolicy, option: &[u8], ordered: bool) -> Flaw {
    let delays = matches!(policy.timeout_action, TimeoutAction::Delay);
    let times_out = policy.default_timeout_microseconds > 0;
    match option {
        b"max_queue_size" if policy.max_queue_size as u64 > MAX_INT32 => {
            Some("expected a number from 0 to 2147483647")
        }
        b"timeout_action" if delays && times_out && ordered => Some(DELAYED),
        b"timeout_action" if !times_out => Some(NOTHING_TIMES_OUT),
        b"allow_timeout_override" if policy.allow_timeout_override && !times_out => {
            Some(NO_TIMEOUT)
        }
        _ => None,
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
}

/// The reason why a text is not a valid model name.
pub const fn name_flaw(name: &str) -> Flaw {
    let name = name.as_bytes();
    if name.is_empty() || name.len() > 128 {
        return Some("the name of a model must have 1 to 128 characters");
    }
    if matches!(name, b"." | b"..") {
        return Some("`.` and `..` are not valid model names");
    }
    let mut index = 0;
    while index < name.len() {
        let (b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-') = name[index] else {
            return Some(
                "only letters, digits, `.`, `_` and `-` are allowed in the name of a model",
            );
        };
        index += 1;
    }
    None
}

/// The reason why a text is not a valid tensor name.
pub const fn tensor_name_flaw(name: &str) -> Flaw {
    let name = name.as_bytes();
    if name.is_empty() {
        return Some("a tensor needs a name: write `name = \"INPUT_1\"`");
    }
    if matches!(
        name,
        [b'_', b'_', ..] | [b't', b'r', b'i', b't', b'o', b'n', b'_', ..]
    ) {
        return Some(
            "names of tensors that start with `__` or `triton_` are reserved: write `name = \"INPUT_1\"`",
        );
    }
    let mut index = 0;
    while index < name.len() {
        if matches!(name[index], 0..=b' ' | b'"' | b'\\' | 127) {
            return Some(
                "spaces, quotes, backslashes and control characters are not allowed in the name of a tensor",
            );
        }
        index += 1;
    }
    None
}

/// The reason why a number is not a valid dimension.
pub const fn dimension_flaw(dimension: i64) -> Flaw {
    match dimension {
        -1 | 1.. => None,
        _ => Some("a dimension must be at least 1, or -1 for any size"),
    }
}

pub(super) const fn range(number: u64, most: u64, flaw: &'static str) -> Flaw {
    match number {
        0 => Some(flaw),
        number if number > most => Some(flaw),
        _ => None,
    }
}

/// Whether there are no flaws.
pub const fn sound(flaws: &[Flaw]) -> bool {
    let mut index = 0;
    while index < flaws.len() {
        if flaws[index].is_some() {
            return false;
        }
        index += 1;
    }
    true
}

/// The flaw, unless it is a consequence of another one.
pub const fn flaw_if(sound: bool, flaw: Flaw) -> Flaw {
    if sound { flaw } else { None }
}

/// Reports a flaw at compile time, on the tokens of the call.
///
/// # Panics
///
/// In a constant, which makes it a compile error.
#[track_caller]
pub const fn refuse(flaw: Flaw) {
    let (right, text) = match flaw {
        Some(flaw) => (false, flaw),
        None => (true, ""),
    };
    assert!(right, "{}", text);
}

/// The action with this name, which [`timeout_action_flaw`] has accepted.
pub const fn timeout_action(name: &str) -> TimeoutAction {
    match TimeoutAction::named(name) {
        Some(action) => action,
        None => TimeoutAction::Reject,
    }
}

/// The reason why a text is not a valid timeout action.
pub const fn timeout_action_flaw(name: &str) -> Flaw {
    match TimeoutAction::named(name) {
        Some(_) => None,
        None => Some("expected `\"reject\"` or `\"delay\"`"),
    }
}

/// Whether a text is in a list; usable in constants.
const fn listed(list: &[&str], text: &str) -> bool {
    let mut index = 0;
    while index < list.len() {
        if equal(list[index], text) {
            return true;
        }
        index += 1;
    }
    false
}

/// Compares two texts; usable in constants.
pub(super) const fn equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}
