use std::sync::Arc;

use crate::model::{
    InstanceGroups, QueuePolicy, Surface, TimeoutAction, VersionPolicy, call_options,
};
use crate::registry::SequenceScheduling;

use super::Model;
use super::options::Options;

/// The options of `#[pytriton::model]`, with the same names.
impl Model {
    /// A description of the model for users.
    pub fn description(self, description: impl Into<Arc<str>>) -> Self {
        self.with("description", |options| {
            options.description = description.into()
        })
    }

    /// The version of the model, starting at 1.
    pub fn version(self, version: u32) -> Self {
        self.with("version", |options| options.plain.version = version)
    }

    /// The version policy. By default, all versions are served.
    pub fn version_policy(self, policy: VersionPolicy) -> Self {
        self.with("version_policy", |options| {
            options.version_policy = Some(policy)
        })
    }

    /// Whether tensors have a batch axis.
    pub fn batching(self, batching: bool) -> Self {
        self.with("batching", |options| options.plain.batching = batching)
    }

    /// Serves the model on an OpenAI route as well, without a batch axis. A member of a request
    /// becomes the input with the same name. `prompt` of [`Completions`](Surface::Completions) is a
    /// single string. `messages` of a [`Chat`](Surface::Chat) is any number of strings, each with a
    /// message as JSON. The only output is text, such as a `Piece`.
    pub fn openai(mut self, surface: Surface) -> Self {
        let options = &mut self.options.plain;
        options.openai = Some(surface);
        options.batching = false;
        self
    }

    /// The maximum number of rows of one call. The default is 4.
    pub fn max_batch_size(self, rows: u32) -> Self {
        self.with("max_batch_size", |options| {
            options.plain.max_batch_size = rows
        })
    }

    /// The number of instances, each with its own thread. The default is the number of functions.
    ///
    /// A list selects devices: `[InstanceGroup::cpu(2), InstanceGroup::gpu(0)]`.
    pub fn instances(self, instances: impl Into<InstanceGroups>) -> Self {
        self.with("instances", |options| options.instances = instances.into())
    }

    /// Whether requests are batched. Otherwise each one is executed separately.
    pub fn dynamic_batching(self, gathered: bool) -> Self {
        self.with("dynamic_batching", |options| {
            options.plain.dynamic_batching = gathered
        })
    }

    /// Batch sizes that are executed as soon as they are reached.
    pub fn preferred_batch_size(self, sizes: impl Into<Vec<u32>>) -> Self {
        self.with("preferred_batch_size", |options| {
            options.preferred_batch_size = sizes.into()
        })
    }

    /// How long a request may wait for others.
    pub fn max_queue_delay_microseconds(self, microseconds: u64) -> Self {
        self.with("max_queue_delay_microseconds", |options| {
            options.plain.max_queue_delay_microseconds = microseconds
        })
    }

    /// Whether responses leave in the order of their requests.
    pub fn preserve_ordering(self, preserve: bool) -> Self {
        self.with("preserve_ordering", |options| {
            options.plain.preserve_ordering = preserve
        })
    }

    /// The maximum number of waiting requests. 0 uses the limit of the server.
    pub fn max_queue_size(self, requests: u32) -> Self {
        self.with("max_queue_size", |options| {
            options.plain.queue_policy.max_queue_size = requests
        })
    }

    /// The queue timeout of a request. 0 means no timeout.
    pub fn default_timeout_microseconds(self, microseconds: u64) -> Self {
        self.with("default_timeout_microseconds", |options| {
            options.plain.queue_policy.default_timeout_microseconds = microseconds
        })
    }

    /// Sets the action taken when the timeout of a queued request expires.
    pub fn timeout_action(self, action: TimeoutAction) -> Self {
        self.with("timeout_action", |options| {
            options.plain.queue_policy.timeout_action = action
        })
    }

    /// Whether a request may set a shorter timeout than the default.
    pub fn allow_timeout_override(self, allow: bool) -> Self {
        self.with("allow_timeout_override", |options| {
            options.plain.queue_policy.allow_timeout_override = allow
        })
    }

    /// The number of priority levels. Requests select one with the parameter `priority`, and level
    /// 1 is served first.
    pub fn priority_levels(self, levels: u64) -> Self {
        self.with("priority_levels", |options| {
            options.plain.priority_levels = levels
        })
    }

    /// The level of requests without a valid priority. The default is the last level.
    pub fn default_priority_level(self, level: u64) -> Self {
        self.with("default_priority_level", |options| {
            options.plain.default_priority_level = level
        })
    }

    /// The queue policy of a level, instead of that of the model.
    pub fn priority_queue_policy(self, level: u64, policy: QueuePolicy) -> Self {
        self.with("priority_queue_policy", |options| {
            options.priority_queue_policy.push((level, policy))
        })
    }

    /// Enables sequences. The requests of a sequence are executed one after another by one
    /// instance. `scheduling` determines how requests of several sequences are batched.
    pub fn sequence_batching(self, scheduling: SequenceScheduling) -> Self {
        self.with("sequence_batching", |options| {
            options.plain.sequence_batching = Some(scheduling)
        })
    }

    /// How long a sequence may be idle before it is removed. The default is one second.
    pub fn max_sequence_idle_microseconds(self, microseconds: u64) -> Self {
        self.with("max_sequence_idle_microseconds", |options| {
            options.plain.max_sequence_idle_microseconds = microseconds
        })
    }

    /// The fraction of slots (0 to 1) that must be filled before a batch leaves early.
    pub fn minimum_slot_utilization(self, utilization: f32) -> Self {
        self.with("minimum_slot_utilization", |options| {
            options.plain.minimum_slot_utilization = utilization
        })
    }

    /// The maximum number of concurrent sequences of an instance. The default is the maximum batch
    /// size.
    pub fn max_candidate_sequences(self, sequences: u32) -> Self {
        self.with("max_candidate_sequences", |options| {
            options.plain.max_candidate_sequences = sequences
        })
    }

    /// Adds a parameter to the model configuration. See
    /// [`ModelSpec::parameter`](crate::model::ModelSpec::parameter).
    pub fn parameter(mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        self.options.parameters.push((name.into(), value.into()));
        self
    }

    /// Returns whether an option was set.
    pub(super) fn is_set(&self, option: &str) -> bool {
        self.options.written.contains(&option)
    }

    fn with(mut self, option: &'static str, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        if !self.is_set(option) {
            self.options.written.push(option);
        }
        self
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $default:expr;)*) => {
        /// The options about calls of the function, from the table of
        /// [`CallOptions`](crate::model::CallOptions).
        impl Model {
            $(
                $(#[$doc])*
                pub fn $name(self, $name: $type) -> Self {
                    self.with(stringify!($name), |options| {
                        options.plain.call_options.$name = $name
                    })
                }
            )*
        }
    };
}

call_options!(setters);
