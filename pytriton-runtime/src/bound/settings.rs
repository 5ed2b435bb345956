use std::sync::Arc;

use crate::model::{InstanceGroups, QueuePolicy, Surface, TimeoutAction, VersionPolicy};
use crate::registry::SequenceScheduling;

use super::Model;
use super::options::Options;

/// The options of `#[pytriton::model]`, each under its name.
impl Model {
    /// What the model is, for people.
    pub fn description(self, description: impl Into<Arc<str>>) -> Self {
        self.with("description", |options| {
            options.description = description.into()
        })
    }

    /// The version, from 1.
    pub fn version(self, version: u32) -> Self {
        self.with("version", |options| options.plain.version = version)
    }

    /// Which versions of the model are served; all of them where no version says so.
    pub fn version_policy(self, policy: VersionPolicy) -> Self {
        self.with("version_policy", |options| {
            options.version_policy = Some(policy)
        })
    }

    /// Whether tensors have a batch axis.
    pub fn batching(self, batching: bool) -> Self {
        self.with("batching", |options| options.plain.batching = batching)
    }

    /// Over which of OpenAI's routes the model is served besides, without a batch axis: a member of a request is the input of its
    /// name, `prompt` of [`Completions`](Surface::Completions) is one text, `messages` of a [`Chat`](Surface::Chat) is any number
    /// of them, each a message as JSON. The only output is a text; a [`Piece`](crate::openai::Piece) is one.
    pub fn openai(mut self, surface: Surface) -> Self {
        let options = &mut self.options.plain;
        options.openai = Some(surface);
        options.batching = false;
        self
    }

    /// The most rows of one call; 4 where nothing is said.
    pub fn max_batch_size(self, rows: u32) -> Self {
        self.with("max_batch_size", |options| {
            options.plain.max_batch_size = rows
        })
    }

    /// How many threads call the function, each its own instance; as many as there are functions where nothing is said.
    ///
    /// A list says on which devices: `[InstanceGroup::cpu(2), InstanceGroup::gpu(0)]`.
    pub fn instances(self, instances: impl Into<InstanceGroups>) -> Self {
        self.with("instances", |options| options.instances = instances.into())
    }

    /// How many batches an instance has at a time: an `async` function runs them side by side.
    pub fn batches_in_flight(self, batches: u32) -> Self {
        self.with("batches_in_flight", |options| {
            options.plain.batches_in_flight = batches
        })
    }

    /// Whether the embedded engine may call the function on the threads that serve connections; see
    /// [`ModelOptions::inline`](crate::registry::ModelOptions::inline) for what such a function
    /// must not do.
    ///
    /// A state must be `Send`: write [`Stateful::movable`](super::Stateful::movable).
    pub fn inline(self, inline: bool) -> Self {
        self.with("inline", |options| options.plain.inline = inline)
    }

    /// How long a call of the function may take.
    pub fn max_call_microseconds(self, microseconds: u64) -> Self {
        self.with("max_call_microseconds", |options| {
            options.plain.max_call_microseconds = microseconds
        })
    }

    /// Whether a function that panics is beyond repair, as after an [`Unrecoverable`](crate::call::Unrecoverable).
    pub fn unrecoverable_panics(self, unrecoverable: bool) -> Self {
        self.with("unrecoverable_panics", |options| {
            options.plain.unrecoverable_panics = unrecoverable
        })
    }

    /// Whether requests are gathered; otherwise each is a batch of its own.
    pub fn dynamic_batching(self, gathered: bool) -> Self {
        self.with("dynamic_batching", |options| {
            options.plain.dynamic_batching = gathered
        })
    }

    /// Batch sizes that are sent at once when they are reached.
    pub fn preferred_batch_size(self, sizes: impl Into<Vec<u32>>) -> Self {
        self.with("preferred_batch_size", |options| {
            options.preferred_batch_size = sizes.into()
        })
    }

    /// How long a request may wait for company.
    pub fn max_queue_delay_microseconds(self, microseconds: u64) -> Self {
        self.with("max_queue_delay_microseconds", |options| {
            options.plain.max_queue_delay_microseconds = microseconds
        })
    }

    /// Whether responses leave in the order in which their requests came.
    pub fn preserve_ordering(self, preserve: bool) -> Self {
        self.with("preserve_ordering", |options| {
            options.plain.preserve_ordering = preserve
        })
    }

    /// How many requests may wait; 0 for the server's own bound.
    pub fn max_queue_size(self, requests: u32) -> Self {
        self.with("max_queue_size", |options| {
            options.plain.queue_policy.max_queue_size = requests
        })
    }

    /// How long a request may wait; 0 for any time.
    pub fn default_timeout_microseconds(self, microseconds: u64) -> Self {
        self.with("default_timeout_microseconds", |options| {
            options.plain.queue_policy.default_timeout_microseconds = microseconds
        })
    }

    /// What happens to a request that waited too long.
    pub fn timeout_action(self, action: TimeoutAction) -> Self {
        self.with("timeout_action", |options| {
            options.plain.queue_policy.timeout_action = action
        })
    }

    /// Whether a request may wish for a shorter timeout than the default one.
    pub fn allow_timeout_override(self, allow: bool) -> Self {
        self.with("allow_timeout_override", |options| {
            options.plain.queue_policy.allow_timeout_override = allow
        })
    }

    /// How many priority levels there are: requests are served by their parameter `priority`, 1 first.
    pub fn priority_levels(self, levels: u32) -> Self {
        self.with("priority_levels", |options| {
            options.plain.priority_levels = levels
        })
    }

    /// The level of requests that name none, or one that there is not; the last where nothing is said.
    pub fn default_priority_level(self, level: u32) -> Self {
        self.with("default_priority_level", |options| {
            options.plain.default_priority_level = level
        })
    }

    /// A level's own queue, in place of the model's.
    pub fn priority_queue_policy(self, level: u32, policy: QueuePolicy) -> Self {
        self.with("priority_queue_policy", |options| {
            options.priority_queue_policy.push((level, policy))
        })
    }

    /// Requests belong to sequences, which are served one request after the other and each by one instance; `scheduling` says
    /// how those of several make a batch.
    pub fn sequence_batching(self, scheduling: SequenceScheduling) -> Self {
        self.with("sequence_batching", |options| {
            options.plain.sequence_batching = Some(scheduling)
        })
    }

    /// How long a sequence may have no request before it is forgotten; a second where nothing is said.
    pub fn max_sequence_idle_microseconds(self, microseconds: u64) -> Self {
        self.with("max_sequence_idle_microseconds", |options| {
            options.plain.max_sequence_idle_microseconds = microseconds
        })
    }

    /// How much of the rows must have a request for a batch to go before its requests have waited as long as they may, from 0
    /// to 1.
    pub fn minimum_slot_utilization(self, utilization: f32) -> Self {
        self.with("minimum_slot_utilization", |options| {
            options.plain.minimum_slot_utilization = utilization
        })
    }

    /// How many sequences an instance serves at a time; as many as the largest batch has rows where nothing is said.
    pub fn max_candidate_sequences(self, sequences: u32) -> Self {
        self.with("max_candidate_sequences", |options| {
            options.plain.max_candidate_sequences = sequences
        })
    }

    /// Whether requests of the same inputs get the response of the first, without a call.
    pub fn response_cache(self, cache: bool) -> Self {
        self.with("response_cache", |options| {
            options.plain.response_cache = cache
        })
    }

    /// One more thing that the model's configuration says: [`ModelSpec::parameter`](crate::model::ModelSpec::parameter).
    pub fn parameter(mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        self.options.parameters.push((name.into(), value.into()));
        self
    }

    /// Whether the option of that name was written.
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
