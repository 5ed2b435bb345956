use std::sync::Arc;

use crate::model::{InstanceGroups, QueuePolicy, Surface, TimeoutAction, VersionPolicy};
use crate::registry::SequenceScheduling;

use super::Model;
use super::options::Options;

/// The options of `#[pytriton::model]`, by name.
impl Model {
    /// Sets the description.
    pub fn description(self, description: impl Into<Arc<str>>) -> Self {
        self.with("description", |options| {
            options.description = description.into()
        })
    }

    /// Sets the version, from 1.
    pub fn version(self, version: u32) -> Self {
        self.with("version", |options| options.plain.version = version)
    }

    /// Sets the version policy; the default is all versions.
    pub fn version_policy(self, policy: VersionPolicy) -> Self {
        self.with("version_policy", |options| {
            options.version_policy = Some(policy)
        })
    }

    /// Sets whether tensors have a batch axis.
    pub fn batching(self, batching: bool) -> Self {
        self.with("batching", |options| options.plain.batching = batching)
    }

    /// Also serves the model at an OpenAI route, without a batch axis. A member of a request is the
    /// input of its name: `prompt` of [`Completions`](Surface::Completions) is one string,
    /// `messages` of a [`Chat`](Surface::Chat) is any number of strings, each a message as JSON.
    /// The only output is a string; a [`Piece`](crate::openai::Piece) is one.
    pub fn openai(mut self, surface: Surface) -> Self {
        let options = &mut self.options.plain;
        options.openai = Some(surface);
        options.batching = false;
        self
    }

    /// Sets the maximum number of rows of one call; the default is 4.
    pub fn max_batch_size(self, rows: u32) -> Self {
        self.with("max_batch_size", |options| {
            options.plain.max_batch_size = rows
        })
    }

    /// Sets the number of instances, each with its own thread; the default is the number of
    /// functions.
    ///
    /// A list sets the devices: `[InstanceGroup::cpu(2), InstanceGroup::gpu(0)]`.
    pub fn instances(self, instances: impl Into<InstanceGroups>) -> Self {
        self.with("instances", |options| options.instances = instances.into())
    }

    /// Sets the number of concurrent batches per instance; an `async` function runs them
    /// concurrently.
    pub fn batches_in_flight(self, batches: u32) -> Self {
        self.with("batches_in_flight", |options| {
            options.plain.batches_in_flight = batches
        })
    }

    /// Sets the time limit of a call.
    pub fn max_call_microseconds(self, microseconds: u64) -> Self {
        self.with("max_call_microseconds", |options| {
            options.plain.max_call_microseconds = microseconds
        })
    }

    /// Sets whether a panic is a fatal error, like an
    /// [`Unrecoverable`](crate::call::Unrecoverable).
    pub fn unrecoverable_panics(self, unrecoverable: bool) -> Self {
        self.with("unrecoverable_panics", |options| {
            options.plain.unrecoverable_panics = unrecoverable
        })
    }

    /// Sets whether requests are batched.
    pub fn dynamic_batching(self, gathered: bool) -> Self {
        self.with("dynamic_batching", |options| {
            options.plain.dynamic_batching = gathered
        })
    }

    /// Sets the batch sizes that are sent at once when they are reached.
    pub fn preferred_batch_size(self, sizes: impl Into<Vec<u32>>) -> Self {
        self.with("preferred_batch_size", |options| {
            options.preferred_batch_size = sizes.into()
        })
    }

    /// Sets how long a request may wait for others.
    pub fn max_queue_delay_microseconds(self, microseconds: u64) -> Self {
        self.with("max_queue_delay_microseconds", |options| {
            options.plain.max_queue_delay_microseconds = microseconds
        })
    }

    /// Sets whether responses are sent in the order of their requests.
    pub fn preserve_ordering(self, preserve: bool) -> Self {
        self.with("preserve_ordering", |options| {
            options.plain.preserve_ordering = preserve
        })
    }

    /// Sets the maximum number of waiting requests; 0 for the server's limit.
    pub fn max_queue_size(self, requests: u32) -> Self {
        self.with("max_queue_size", |options| {
            options.plain.queue_policy.max_queue_size = requests
        })
    }

    /// Sets the timeout in the queue; 0 for none.
    pub fn default_timeout_microseconds(self, microseconds: u64) -> Self {
        self.with("default_timeout_microseconds", |options| {
            options.plain.queue_policy.default_timeout_microseconds = microseconds
        })
    }

    /// Sets what happens to a request whose timeout expires.
    pub fn timeout_action(self, action: TimeoutAction) -> Self {
        self.with("timeout_action", |options| {
            options.plain.queue_policy.timeout_action = action
        })
    }

    /// Sets whether a request may ask for a shorter timeout than the default.
    pub fn allow_timeout_override(self, allow: bool) -> Self {
        self.with("allow_timeout_override", |options| {
            options.plain.queue_policy.allow_timeout_override = allow
        })
    }

    /// Sets the number of priority levels: requests are served by their parameter `priority`, 1
    /// first.
    pub fn priority_levels(self, levels: u32) -> Self {
        self.with("priority_levels", |options| {
            options.plain.priority_levels = levels
        })
    }

    /// Sets the level of requests that name none or an unknown one; the default is the last.
    pub fn default_priority_level(self, level: u32) -> Self {
        self.with("default_priority_level", |options| {
            options.plain.default_priority_level = level
        })
    }

    /// Sets the queue policy of a level, instead of the model's.
    pub fn priority_queue_policy(self, level: u32, policy: QueuePolicy) -> Self {
        self.with("priority_queue_policy", |options| {
            options.priority_queue_policy.push((level, policy))
        })
    }

    /// Requests belong to sequences, whose requests are served in order, each sequence by one
    /// instance. `scheduling` selects how requests of several sequences form a batch.
    pub fn sequence_batching(self, scheduling: SequenceScheduling) -> Self {
        self.with("sequence_batching", |options| {
            options.plain.sequence_batching = Some(scheduling)
        })
    }

    /// Sets the maximum time between two requests of a sequence; the default is one second.
    pub fn max_sequence_idle_microseconds(self, microseconds: u64) -> Self {
        self.with("max_sequence_idle_microseconds", |options| {
            options.plain.max_sequence_idle_microseconds = microseconds
        })
    }

    /// Sets the fraction of rows, from 0 to 1, that must be filled before a batch starts early.
    pub fn minimum_slot_utilization(self, utilization: f32) -> Self {
        self.with("minimum_slot_utilization", |options| {
            options.plain.minimum_slot_utilization = utilization
        })
    }

    /// Sets the number of sequences that an instance serves concurrently; the default is the
    /// maximum batch size.
    pub fn max_candidate_sequences(self, sequences: u32) -> Self {
        self.with("max_candidate_sequences", |options| {
            options.plain.max_candidate_sequences = sequences
        })
    }

    /// Sets whether responses are cached by their inputs.
    pub fn response_cache(self, cache: bool) -> Self {
        self.with("response_cache", |options| {
            options.plain.response_cache = cache
        })
    }

    /// Adds a parameter to the model's configuration:
    /// [`ModelSpec::parameter`](crate::model::ModelSpec::parameter).
    pub fn parameter(mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        self.options.parameters.push((name.into(), value.into()));
        self
    }

    /// Whether the option was given.
    pub(super) fn says(&self, option: &str) -> bool {
        self.options.written.contains(&option)
    }

    fn with(mut self, option: &'static str, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        if !self.says(option) {
            self.options.written.push(option);
        }
        self
    }
}
