use crate::model::{CallOptions, DynamicBatching, InstanceGroup, Priorities, QueuePolicy, Surface};

use super::{SequenceScheduling, VersionPolicyDeclaration};

/// The arguments of `#[pytriton::model(…)]`: each option by name, with its default in
/// [`DEFAULT`](Self::DEFAULT).
///
/// [`flaw`](Self::flaw) checks the values.
#[derive(Debug, Clone, Copy)]
pub struct ModelOptions<'a> {
    /// The name in URLs and requests.
    pub name: &'a str,
    /// The description.
    pub description: &'a str,
    /// The version.
    pub version: u32,
    /// The version policy; `None` for all versions, unless another version sets it.
    pub version_policy: Option<VersionPolicyDeclaration<'a>>,
    /// Whether axis 0 of every tensor is the batch.
    pub batching: bool,
    /// The maximum number of rows of one call.
    pub max_batch_size: u32,
    /// The instances.
    pub instances: &'a [InstanceGroup],
    /// The options about calls of the function.
    pub call_options: CallOptions,
    /// Whether requests are batched.
    pub dynamic_batching: bool,
    /// Batch sizes that are sent at once when they are reached.
    pub preferred_batch_size: &'a [u32],
    /// How long a request may wait for others.
    pub max_queue_delay_microseconds: u64,
    /// Whether responses are sent in the order of their requests.
    pub preserve_ordering: bool,
    /// The queue policy of levels without their own.
    pub queue_policy: QueuePolicy,
    /// The number of priority levels; 0 for none.
    pub priority_levels: u64,
    /// The level of requests that name none; 0 for the last.
    pub default_priority_level: u64,
    /// The levels with their own limits.
    pub priority_queue_policy: &'a [(u64, QueuePolicy)],
    /// The sequence batching strategy; `None` for a model without sequences.
    pub sequence_batching: Option<SequenceScheduling>,
    /// The maximum time between two requests of a sequence; 0 for Triton's default.
    pub max_sequence_idle_microseconds: u64,
    /// The fraction of rows that must be filled before a batch starts early.
    pub minimum_slot_utilization: f32,
    /// The number of sequences that an instance serves concurrently; 0 for the maximum batch size.
    pub max_candidate_sequences: u32,
    /// The parameters in the model's configuration.
    pub parameters: &'a [(&'a str, &'a str)],
    /// The OpenAI route of the model, if any.
    pub openai: Option<Surface>,
}

impl ModelOptions<'_> {
    /// The defaults. The name must be set.
    ///
    /// The default batch size is PyTriton's.
    pub const DEFAULT: Self = Self {
        name: "",
        description: "",
        version: 1,
        version_policy: None,
        batching: true,
        max_batch_size: 4,
        instances: &[InstanceGroup::cpu(1)],
        call_options: CallOptions::DEFAULT,
        dynamic_batching: true,
        preferred_batch_size: &[],
        max_queue_delay_microseconds: 0,
        preserve_ordering: false,
        queue_policy: QueuePolicy::DEFAULT,
        priority_levels: 0,
        default_priority_level: 0,
        priority_queue_policy: &[],
        sequence_batching: None,
        max_sequence_idle_microseconds: 0,
        minimum_slot_utilization: 0.0,
        max_candidate_sequences: 0,
        parameters: &[],
        openai: None,
    };

    /// The maximum batch size; 0 for a model without a batch axis.
    pub(super) const fn rows(&self) -> u32 {
        match self.batching {
            true => self.max_batch_size,
            false => 0,
        }
    }

    /// The dynamic batcher; `None` if each request is a separate batch.
    pub(super) fn batcher(&self) -> Option<DynamicBatching> {
        if !self.batching || !self.dynamic_batching || self.sequence_batching.is_some() {
            return None;
        }
        Some(DynamicBatching {
            preferred_batch_size: self.preferred_batch_size.to_vec(),
            max_queue_delay_microseconds: self.max_queue_delay_microseconds,
            preserve_ordering: self.preserve_ordering,
            queue_policy: self.queue_policy,
            priorities: (self.priority_levels > 0).then(|| self.priorities()),
        })
    }

    fn priorities(&self) -> Priorities {
        let mut queue_policies = self.priority_queue_policy.to_vec();
        queue_policies.sort_by_key(|(level, _)| *level);
        Priorities {
            levels: self.priority_levels,
            // Requests that name a level precede those that do not.
            default_level: match self.default_priority_level {
                0 => self.priority_levels,
                level => level,
            },
            queue_policies,
        }
    }
}
