use crate::model::{InstanceGroup, QueuePolicy, Surface};

use super::{
    DynamicBatchingDeclaration, PrioritiesDeclaration, SequenceScheduling, VersionPolicyDeclaration,
};

/// What stands between the parentheses of `#[pytriton::model(…)]`: each option under its name, and its default in
/// [`DEFAULT`](Self::DEFAULT).
///
/// What an option may be is in [`flaw`](Self::flaw).
#[derive(Debug, Clone, Copy)]
pub struct ModelOptions<'a> {
    /// The model's name in URLs and requests.
    pub name: &'a str,
    /// What the model is, for people.
    pub description: &'a str,
    /// The model's version.
    pub version: u32,
    /// Which versions of the model are served; `None` for all, where no other version says so.
    pub version_policy: Option<VersionPolicyDeclaration<'a>>,
    /// Whether axis 0 of every tensor is the batch.
    pub batching: bool,
    /// The most rows of one call.
    pub max_batch_size: u32,
    /// The instances of the model that run in parallel.
    pub instances: &'a [InstanceGroup],
    /// How many batches an instance has at a time.
    pub batches_in_flight: u32,
    /// How long a call of the function may take; 0 for any time.
    pub max_call_microseconds: u64,
    /// Whether a function that panics is beyond repair.
    pub unrecoverable_panics: bool,
    /// Whether requests are gathered at all.
    pub dynamic_batching: bool,
    /// Batch sizes that are sent at once when they are reached.
    pub preferred_batch_size: &'a [u32],
    /// How long a request may wait for company.
    pub max_queue_delay_microseconds: u64,
    /// Whether responses leave in the order in which their requests came.
    pub preserve_ordering: bool,
    /// How long and how many requests may wait, on levels without a policy of their own.
    pub queue_policy: QueuePolicy,
    /// How many priority levels there are; 0 for none.
    pub priority_levels: u32,
    /// The level of requests that name none; 0 for the last.
    pub default_priority_level: u32,
    /// The levels that have limits of their own.
    pub priority_queue_policy: &'a [(u32, QueuePolicy)],
    /// How the requests of several sequences make a batch; `None` for a model that knows no sequences.
    pub sequence_batching: Option<SequenceScheduling>,
    /// How long a sequence may have no request; 0 for Triton's default.
    pub max_sequence_idle_microseconds: u64,
    /// How much of the rows must have a request for a batch to go at once.
    pub minimum_slot_utilization: f32,
    /// How many sequences an instance serves at a time; 0 for as many as the largest batch has rows.
    pub max_candidate_sequences: u32,
    /// Whether requests of the same inputs get the response of the first.
    pub response_cache: bool,
    /// Names and values of what else the configuration says.
    pub parameters: &'a [(&'a str, &'a str)],
    /// Over which of OpenAI's routes the model is served besides.
    pub openai: Option<Surface>,
}

impl ModelOptions<'_> {
    /// A model of which nothing is said. Its name is still missing.
    ///
    /// The batch size is PyTriton's.
    pub const DEFAULT: Self = Self {
        name: "",
        description: "",
        version: 1,
        version_policy: None,
        batching: true,
        max_batch_size: 4,
        instances: &[InstanceGroup::cpu(1)],
        batches_in_flight: 1,
        max_call_microseconds: 0,
        unrecoverable_panics: false,
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
        response_cache: false,
        parameters: &[],
        openai: None,
    };
}

impl ModelOptions<'static> {
    /// How requests are gathered; `None` where each is a batch of its own.
    pub const fn batcher(&self) -> Option<DynamicBatchingDeclaration> {
        if !self.batching || !self.dynamic_batching || self.sequence_batching.is_some() {
            return None;
        }
        let levels = self.priority_levels;
        Some(DynamicBatchingDeclaration {
            preferred_batch_size: self.preferred_batch_size,
            max_queue_delay_microseconds: self.max_queue_delay_microseconds,
            preserve_ordering: self.preserve_ordering,
            queue_policy: self.queue_policy,
            priorities: match levels {
                0 => None,
                _ => Some(PrioritiesDeclaration {
                    levels,
                    // Whoever names a level goes before whoever does not.
                    default_level: match self.default_priority_level {
                        0 => levels,
                        level => level,
                    },
                    queue_policies: self.priority_queue_policy,
                }),
            },
        })
    }
}
