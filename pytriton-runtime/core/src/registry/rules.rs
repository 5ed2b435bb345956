use crate::model::{Device, EXPECTED_INT32, InstanceGroup, MAX_INT32, TimeoutAction};

use super::ModelOptions;
use super::conflicts::queue_conflict;
use super::names::name_flaw;
use super::violation::Violation;

impl ModelOptions<'_> {
    /// The error in the value of an option that was given.
    ///
    /// Generated code calls it at compile time; run-time models call it when they are built.
    pub const fn flaw(&self, option: &str) -> Violation {
        match option.as_bytes() {
            b"name" => name_flaw(self.name),
            b"version" => range(self.version, MAX_INT32, EXPECTED_INT32),
            b"version_policy" => self.version_policy_flaw(),
            b"instances" => self.instances_flaw(),
            b"max_batch_size" => range(self.max_batch_size, MAX_INT32, EXPECTED_INT32),
            b"preferred_batch_size" if self.preferred_batch_size.is_empty() => {
                Some("an empty list has no effect: remove it")
            }
            b"sequence_batching" if self.sequence_batching.is_none() => {
                Some("expected `direct` or `oldest`")
            }
            b"default_priority_level" => self.default_level_flaw(),
            _ => first(
                self.call_options.flaw(option),
                first(
                    self.batcher_options().flaw(option),
                    self.queue_policy.flaw(option),
                ),
            ),
        }
    }

    const fn default_level_flaw(&self) -> Violation {
        match (self.default_priority_level, self.priority_levels) {
            // Without levels, the option itself is the error.
            (_, 0) => None,
            (level, levels) if level > 0 && level <= levels => None,
            _ => Some("expected a number from 1 to `priority_levels`"),
        }
    }

    const fn instances_flaw(&self) -> Violation {
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
    pub const fn instance_flaw(&self, index: usize) -> Violation {
        let InstanceGroup { device, count } = self.instances[index];
        match device {
            Device::Gpu(number) if number > MAX_INT32 => {
                return Some("expected the number of a GPU, from 0 to 2147483647");
            }
            Device::Gpu(_) => {}
            Device::Cpu => {
                let flaw = range(count, MAX_INT32, EXPECTED_INT32);
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
        match before + count as u64 > MAX_INT32 as u64 {
            true => Some("a model has at most 2147483647 instances: write fewer"),
            false => None,
        }
    }

    /// The error in the preferred batch size with this index.
    pub const fn preferred_flaw(&self, index: usize) -> Violation {
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
    pub const fn level_flaw(&self, index: usize, option: &str) -> Violation {
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
            _ => first(
                policy.flaw(option),
                queue_conflict(policy, option.as_bytes(), self.preserve_ordering),
            ),
        }
    }
}

/// The violation by a number that is 0 or more than `most`.
pub(super) const fn range(number: u32, most: u32, violation: &'static str) -> Violation {
    match number > 0 && number <= most {
        true => None,
        false => Some(violation),
    }
}

const fn first(one: Violation, other: Violation) -> Violation {
    if one.is_some() { one } else { other }
}

/// Whether there are no violations.
pub const fn all_valid(violations: &[Violation]) -> bool {
    let mut index = 0;
    while index < violations.len() {
        if violations[index].is_some() {
            return false;
        }
        index += 1;
    }
    true
}

/// The violation if the other options are valid. Otherwise it is a consequence of theirs.
pub const fn violation_if(valid: bool, violation: Violation) -> Violation {
    if valid { violation } else { None }
}

/// Reports a violation at compile time, on the tokens of the call.
///
/// # Panics
///
/// In a constant, which makes it a compile error.
#[track_caller]
pub const fn refuse(violation: Violation) {
    let (valid, text) = match violation {
        Some(text) => (false, text),
        None => (true, ""),
    };
    assert!(valid, "{}", text);
}

/// The action with this name, which [`timeout_action_flaw`] has accepted.
pub const fn timeout_action(name: &str) -> TimeoutAction {
    match TimeoutAction::named(name) {
        Some(action) => action,
        None => TimeoutAction::Reject,
    }
}

/// The reason why a text is not a valid timeout action.
pub const fn timeout_action_flaw(name: &str) -> Violation {
    match TimeoutAction::named(name) {
        Some(_) => None,
        None => Some("expected `\"reject\"` or `\"delay\"`"),
    }
}
