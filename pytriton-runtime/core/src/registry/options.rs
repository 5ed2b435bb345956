use crate::model::{
    Batcher, BatcherOptions, CallOptions, InstanceGroup, QueuePolicy, SequenceScheduling, Surface,
    batcher_options,
};

use super::VersionPolicyDeclaration;

macro_rules! define {
    (
        $(#[$about:meta])* $struct:ident:
        $(
            $(#[$doc:meta])* $name:ident: $type:ty = $default:expr
            $(, duration $duration:ident)? $(, fields $fields:tt)?
            $(, rule $rule:pat => $help:expr)?;
        )*
    ) => {
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
            /// Returns the number of instances on the CPU. It is called at start, and replaces
            /// `instances`.
            pub instance_count: Option<fn() -> i128>,
            /// The options about calls of the function.
            pub call_options: CallOptions,
            /// Whether requests are batched.
            pub dynamic_batching: bool,
            /// The sequence batching strategy; `None` for a model without sequences.
            pub sequence_batching: Option<SequenceScheduling>,
            /// Batch sizes that are sent at once when they are reached.
            pub preferred_batch_size: &'a [u32],
            /// The queue policy of levels without their own.
            pub queue_policy: QueuePolicy,
            /// The levels with their own limits.
            pub priority_queue_policy: &'a [(u64, QueuePolicy)],
            /// The parameters in the model's configuration.
            pub parameters: &'a [(&'a str, &'a str)],
            /// The OpenAI route of the model, if any.
            pub openai: Option<Surface>,
            /// The name of the input whose elements are the cost of a request, if any.
            pub cost: Option<&'a str>,
            $($(#[$doc])* pub $name: $type,)*
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
                instance_count: None,
                call_options: CallOptions::DEFAULT,
                dynamic_batching: true,
                sequence_batching: None,
                preferred_batch_size: &[],
                queue_policy: QueuePolicy::DEFAULT,
                priority_queue_policy: &[],
                parameters: &[],
                openai: None,
                cost: None,
                $($name: BatcherOptions::DEFAULT.$name,)*
            };

            /// Sets an option of the batchers. Returns `None` for another option.
            fn set_batcher(
                &mut self,
                option: &str,
                value: &str,
            ) -> Option<Result<(), &'static str>> {
                let mut options = self.batcher_options();
                let done = options.set(option, value);
                $(self.$name = options.$name;)*
                done
            }

            /// The options of the batchers.
            pub(super) const fn batcher_options(&self) -> BatcherOptions {
                BatcherOptions { $($name: self.$name,)* }
            }
        }
    };
}

batcher_options!(define);

impl ModelOptions<'_> {
    /// The maximum batch size; 0 for a model without a batch axis.
    pub(super) const fn rows(&self) -> u32 {
        match self.batching {
            true => self.max_batch_size,
            false => 0,
        }
    }

    /// Sets an option of the tables of the options. Returns the expected form of the value if it
    /// has another.
    pub(super) fn set_row(&mut self, option: &str, value: &str) -> Result<(), &'static str> {
        let done = self.call_options.set(option, value);
        let done = done.or_else(|| self.queue_policy.set(option, value));
        let done = done.or_else(|| self.set_batcher(option, value));
        done.unwrap_or(Ok(()))
    }

    /// The batcher, with Triton's defaults; `None` if each request is a separate batch.
    pub(super) fn batcher(&self) -> Option<Batcher> {
        let is_dynamic = self.batching && self.dynamic_batching;
        if self.sequence_batching.is_none() && !is_dynamic {
            return None;
        }
        let mut options = self.batcher_options();
        // Requests that name a level precede those that do not.
        if options.default_priority_level == 0 {
            options.default_priority_level = options.priority_levels;
        }
        if options.max_candidate_sequences == 0 {
            options.max_candidate_sequences = self.rows().max(1);
        }
        let mut priority_queue_policy = self.priority_queue_policy.to_vec();
        priority_queue_policy.sort_by_key(|(level, _)| *level);
        Some(Batcher {
            sequences: self.sequence_batching,
            options,
            preferred_batch_size: self.preferred_batch_size.to_vec(),
            queue_policy: self.queue_policy,
            priority_queue_policy,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_have_a_slot_for_each_row_or_candidate() {
        use SequenceScheduling::{Direct, Oldest};
        let table = [
            (Direct, 0, 0, 1),
            (Direct, 0, 4, 4),
            (Oldest, 0, 0, 1),
            (Oldest, 0, 4, 4),
            (Oldest, 9, 4, 9),
            (Oldest, 2, 4, 2),
        ];
        for (scheduling, candidates, rows, expected) in table {
            let options = ModelOptions {
                max_batch_size: rows,
                sequence_batching: Some(scheduling),
                max_candidate_sequences: candidates,
                ..ModelOptions::DEFAULT
            };
            let batcher = options.batcher().unwrap();
            assert_eq!(batcher.slots(rows), expected, "{options:?}");
            let idle = batcher.options.max_sequence_idle_microseconds;
            assert_eq!(idle, 1_000_000);
        }
    }
}
