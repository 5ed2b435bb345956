use crate::model::{InstanceGroup, QueuePolicy, Surface};

use super::{
    DynamicBatchingDeclaration, PrioritiesDeclaration, SequenceScheduling, VersionPolicyDeclaration,
};

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
    /// The number of concurrent batches per instance.
    pub batches_in_flight: u32,
    /// Whether the embedded engine may call the function on connection threads. This saves passing
    /// a request to the thread of an instance and back, which takes 10 to 20 microseconds.
    ///
    /// It is a permission, and off by default. The function must finish within some tens of
    /// microseconds. It must not block: no `block_on`, no I/O, no contended locks, and no waiting
    /// for tasks that it spawns. While it runs, the other connections of its thread wait. One
    /// connection thread is never used for this, so that a slow call does not stop the server. The
    /// server logs a warning with the name of the model.
    ///
    /// A call has exclusive use of an instance, regardless of its thread. The state must therefore
    /// be `Send`, but need not be `Sync`. Requests of more than 256 KiB are executed on the threads
    /// of the instances. So are requests that wait for an idle instance or for a batch.
    /// `tritonserver` and the native backend always use the thread of the instance, so the option
    /// has no effect there.
    pub inline: bool,
    /// The time limit of a call; 0 for no limit.
    pub max_call_microseconds: u64,
    /// Whether a panic is a fatal error.
    pub unrecoverable_panics: bool,
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
    pub priority_levels: u32,
    /// The level of requests that name none; 0 for the last.
    pub default_priority_level: u32,
    /// The levels with their own limits.
    pub priority_queue_policy: &'a [(u32, QueuePolicy)],
    /// The sequence batching strategy; `None` for a model without sequences.
    pub sequence_batching: Option<SequenceScheduling>,
    /// The maximum time between two requests of a sequence; 0 for Triton's default.
    pub max_sequence_idle_microseconds: u64,
    /// The fraction of rows that must be filled before a batch starts early.
    pub minimum_slot_utilization: f32,
    /// The number of sequences that an instance serves concurrently; 0 for the maximum batch size.
    pub max_candidate_sequences: u32,
    /// Whether responses are cached by their inputs.
    pub response_cache: bool,
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
        batches_in_flight: 1,
        inline: false,
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
    /// The dynamic batcher; `None` if each request is a separate batch.
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
                    // Requests that name a level precede those that do not.
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
