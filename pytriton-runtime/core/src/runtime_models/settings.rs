use std::time::Duration;

use crate::model::{
    InstanceGroups, QueuePolicy, SequenceScheduling, Surface, TimeoutAction, VersionPolicy,
    batcher_options, call_options, microseconds, queue_options,
};
use crate::registry::OwnedOptions;

use super::Model;

/// The options of `#[pytriton::model]`, with the same names. A duration has no unit in its name:
/// `max_call_microseconds` is [`max_call`](Model::max_call).
impl Model {
    /// A description of the model for users.
    pub fn description(self, description: impl AsRef<str>) -> Self {
        self.with("description", |options| {
            options.description = description.as_ref().into()
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

    /// Serves the model on an OpenAI route as well. A member of a request becomes the input with the
    /// same name.
    ///
    /// Models for text are served without a batch axis. `prompt` of
    /// [`Completions`](Surface::Completions) is a single string. `messages` of a
    /// [`Chat`](Surface::Chat) is any number of strings, each with a message as JSON. The only
    /// output is text, such as a `Piece`.
    ///
    /// The first input of [`Embeddings`](Surface::Embeddings) is one text per row, and the first
    /// output is its vector.
    pub fn openai(mut self, surface: Surface) -> Self {
        let options = &mut self.options.plain;
        options.openai = Some(surface);
        if surface.generates_text() {
            options.batching = false;
        }
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

    /// The queue policy of a level, instead of that of the model.
    pub fn priority_queue_policy(self, level: u64, policy: QueuePolicy) -> Self {
        self.with("priority_queue_policy", |options| {
            options.priority_queue_policy.push((level, policy))
        })
    }

    /// The input whose elements are the cost of a request, for
    /// [`max_batch_cost`](Self::max_batch_cost).
    pub fn cost(self, input: impl AsRef<str>) -> Self {
        self.with("cost", |options| options.cost = Some(input.as_ref().into()))
    }

    /// Enables sequences. The requests of a sequence are executed one after another by one
    /// instance. `scheduling` determines how requests of several sequences are batched.
    pub fn sequence_batching(self, scheduling: SequenceScheduling) -> Self {
        self.with("sequence_batching", |options| {
            options.plain.sequence_batching = Some(scheduling)
        })
    }

    /// Adds a parameter to the model configuration. See
    /// [`ModelSpec::parameter`](crate::model::ModelSpec::parameter).
    pub fn parameter(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        let (name, value) = (name.as_ref().into(), value.as_ref().into());
        self.options.parameters.push((name, value));
        self
    }

    /// Returns whether an option was set.
    pub(super) fn is_set(&self, option: &str) -> bool {
        self.options.is_set(option)
    }

    fn with(mut self, option: &'static str, change: impl FnOnce(&mut OwnedOptions)) -> Self {
        change(&mut self.options);
        self.options.record(option);
        self
    }
}

macro_rules! setters {
    (
        $(#[$about:meta])* $struct:ident:
        $(
            $(#[$doc:meta])* $name:ident: $type:ty = $default:expr
            $(, duration $duration:ident)? $(, fields $fields:tt)?
            $(, rule $rule:pat => $help:expr)?;
        )*
    ) => {
        #[doc = concat!("The options of [`", stringify!($struct), "`](crate::model::", stringify!($struct), ").")]
        impl Model {
            $(setter! { $struct $(#[$doc])* $name: $type $(, $duration)? })*
        }
    };
}

macro_rules! setter {
    ($struct:ident $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        pub fn $name(self, $name: $type) -> Self {
            self.with(stringify!($name), |options| {
                group!($struct options.plain).$name = $name;
            })
        }
    };
    ($struct:ident $(#[$doc:meta])* $name:ident: $type:ty, $duration:ident) => {
        $(#[$doc])*
        pub fn $duration(self, $duration: Duration) -> Self {
            self.with(stringify!($name), |options| {
                group!($struct options.plain).$name = microseconds($duration);
            })
        }
    };
}

/// The group of options that has the fields of a table.
macro_rules! group {
    (CallOptions $options:expr) => {
        $options.call_options
    };
    (QueuePolicy $options:expr) => {
        $options.queue_policy
    };
    (BatcherOptions $options:expr) => {
        $options
    };
}

call_options!(setters);
batcher_options!(setters);
queue_options!(setters);
