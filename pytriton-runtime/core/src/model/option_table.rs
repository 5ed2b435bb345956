//! The tables of the options that are fields of [`CallOptions`], [`BatcherOptions`] and
//! [`QueuePolicy`].
//!
//! A row is the documentation, name, type and default of an option, the `fields` of Triton's model
//! configuration, and the `rule` for its value. It becomes a field of the struct, a method of
//! run-time models, a field of the model configuration, and a value in the OpenAPI document.

use std::time::Duration;

use crate::text::equal;

use super::option_row::{ConfigMessage, OptionRow, OptionValue};
use super::{TimeoutAction, parse_option};

/// The maximum of Triton's 32-bit fields.
pub(crate) const MAX_INT32: u32 = 2_147_483_647;
pub(crate) const EXPECTED_INT32: &str = "expected a number from 1 to 2147483647";

/// The options about calls of the function. `call_options!(name)` passes the rows to the macro
/// `name`.
macro_rules! call_options {
    ($macro:ident) => {
        $macro! {
            /// The options of `#[pytriton::model]` about the calls of the function. All except
            /// `max_batch_cost` apply with and without batching.
            CallOptions:
            /// Whether a repeated request receives the cached response without a call.
            response_cache: bool = false;
            /// The number of concurrent batches of an instance. An `async` function executes them
            /// concurrently.
            // The rings between tritonserver and an instance have 4096 entries.
            batches_in_flight: u32 = 1, rule 1..=4096 => "expected a number from 1 to 4096";
            /// Whether the embedded engine may call the function on connection threads. This saves
            /// passing a request to the thread of an instance and back, which takes 10 to 20
            /// microseconds.
            ///
            /// It is a permission, and off by default. The function must finish within some tens of
            /// microseconds. It must not block: no `block_on`, no I/O, no contended locks, and no
            /// waiting for tasks that it spawns. While it runs, the other connections of its thread
            /// wait. One connection thread is never used for this, so that a slow call does not
            /// stop the server. The server logs a warning with the name of the model.
            ///
            /// A call has exclusive use of an instance, regardless of its thread. The state must
            /// therefore be `Send`, but need not be `Sync`: a run-time model needs
            /// [`Stateful::movable`](crate::runtime_models::Stateful::movable). Requests of more
            /// than 256 KiB are executed on the threads of the instances. So are requests that wait
            /// for an idle instance or for a batch. `tritonserver` and the native backend always
            /// use the thread of the instance, so the option has no effect there.
            inline: bool = false;
            /// Whether a panic of the function is a fatal error, like
            /// [unrecoverable](crate::error::ErrorKind::Unrecoverable).
            unrecoverable_panics: bool = false;
            /// The maximum cost of a batch: the number of elements of one input, which `#[cost(…)]`
            /// or `Model::cost` names. If its datatype is `BYTES`, their bytes are counted. By
            /// default there is no limit.
            ///
            /// A request that exceeds the limit is executed alone.
            max_batch_cost: u64 = 0, rule 1.. =>
                "expected a number of at least 1: to disable the limit, remove the option";
            /// The maximum duration of a call. By default there is no limit.
            max_call_microseconds: u64 = 0, duration max_call, rule 1.. =>
                "expected at least 1 microsecond: to disable the limit, remove the option";
        }
    };
}

/// The options of the batchers; lists are fields of [`Batcher`](super::Batcher). An option without
/// a field of the dynamic batcher needs sequences.
macro_rules! batcher_options {
    ($macro:ident) => {
        $macro! {
            /// The options of a model's [`Batcher`](super::Batcher) that are single values.
            BatcherOptions:
            /// How long a request may wait for others.
            max_queue_delay_microseconds: u64 = 0, duration max_queue_delay, fields [Dynamic 2, Direct 1, Oldest 3];
            /// Whether responses leave in the order of their requests.
            preserve_ordering: bool = false, fields [Dynamic 3, Oldest 4];
            /// The number of priority levels; 0 for none. Requests select one with the parameter
            /// `priority`, and level 1 is served first.
            priority_levels: u64 = 0, fields [Dynamic 4],
                rule 1.. => "expected a number of at least 1";
            /// The level of requests without a valid priority. The default is the last level.
            default_priority_level: u64 = 0, fields [Dynamic 5];
            /// How long a sequence may be idle before it is removed. The default is one second.
            max_sequence_idle_microseconds: u64 = 1_000_000, duration max_sequence_idle,
                fields [Sequence 1],
                rule 1.. => "expected at least 1 microsecond";
            /// The fraction of slots (0 to 1) that must be filled before a batch leaves early.
            minimum_slot_utilization: f32 = 0.0, fields [Direct 2],
                rule 0.0..=1.0 => "expected a number from 0.0 to 1.0";
            /// The maximum number of concurrent sequences of an instance. The default is the
            /// maximum batch size.
            max_candidate_sequences: u32 = 0, fields [Oldest 1],
                rule 1..=MAX_INT32 => EXPECTED_INT32;
        }
    };
}

/// The limits on waiting requests, of a model or of a priority level.
macro_rules! queue_options {
    ($macro:ident) => {
        $macro! {
            /// Limits on waiting requests.
            QueuePolicy:
            /// The action taken when the timeout of a queued request expires.
            timeout_action: TimeoutAction = TimeoutAction::Reject, fields [Queue 1];
            /// The queue timeout of a request. Zero means no timeout.
            default_timeout_microseconds: u64 = 0, duration default_timeout, fields [Queue 2];
            /// Whether a request may set a shorter timeout than the default.
            allow_timeout_override: bool = false, fields [Queue 3];
            /// The maximum number of waiting requests. 0 uses the limit of the server.
            max_queue_size: u32 = 0, fields [Queue 4],
                rule 0..=MAX_INT32 => "expected a number from 0 to 2147483647";
        }
    };
}

pub(crate) use {batcher_options, call_options, queue_options};

/// The setter of an option. A duration is a field in microseconds, as in Triton's configuration.
macro_rules! setter {
    ($(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $name: $type) -> Self {
            self.$name = $name;
            self
        }
    };
    ($(#[$doc:meta])* $name:ident: $type:ty, $duration:ident) => {
        $(#[$doc])*
        #[must_use]
        pub const fn $duration(mut self, $duration: Duration) -> Self {
            self.$name = microseconds($duration);
            self
        }
    };
}

macro_rules! define {
    (
        $(#[$about:meta])* $struct:ident:
        $(
            $(#[$doc:meta])* $name:ident: $type:ty = $default:expr
            $(, duration $duration:ident)? $(, fields [$($message:ident $number:literal),+])?
            $(, rule $rule:pat => $help:expr)?;
        )*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[non_exhaustive]
        pub struct $struct {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl Default for $struct {
            fn default() -> Self {
                Self::DEFAULT
            }
        }

        impl $struct {
            /// The defaults.
            pub const DEFAULT: Self = Self { $($name: $default,)* };

            $(setter! { $(#[$doc])* $name: $type $(, $duration)? })*

            /// The names of the options, and their fields in the model configuration.
            pub const ROWS: &'static [(&'static str, &'static [(ConfigMessage, u32)])] = &[
                $((stringify!($name), &[$($((ConfigMessage::$message, $number)),+)?]),)*
            ];

            /// Sets an option. Returns `None` if it is not in this table.
            ///
            /// # Errors
            ///
            /// Returns the expected form if the value has another.
            pub(crate) fn set(
                &mut self,
                option: &str,
                value: &str,
            ) -> Option<Result<(), &'static str>> {
                match option {
                    $(stringify!($name) => Some(
                        parse_option(value).map(|value| self.$name = value),
                    ),)*
                    _ => None,
                }
            }

            /// The error in the value of an option that was given.
            pub const fn flaw(&self, option: &str) -> Option<&'static str> {
                $($(
                    if equal(option, stringify!($name)) && !matches!(self.$name, $rule) {
                        return Some($help);
                    }
                )?)*
                None
            }

            /// The options with their values.
            pub fn rows(&self) -> impl Iterator<Item = OptionRow> + use<> {
                let values = [$(OptionValue::from(self.$name)),*];
                let rows = Self::ROWS.iter().zip(values);
                rows.map(|(&(name, fields), value)| OptionRow { name, value, fields })
            }

            /// The options that differ from `usual`.
            pub fn changed(&self, usual: &Self) -> impl Iterator<Item = OptionRow> + use<> {
                let rows = self.rows().zip(usual.rows());
                rows.filter(|(row, usual)| row != usual).map(|(row, _)| row)
            }
        }
    };
}

/// Returns a duration in whole microseconds, rounded up so that only zero becomes 0.
pub(crate) const fn microseconds(duration: Duration) -> u64 {
    let seconds = duration.as_secs().saturating_mul(1_000_000);
    seconds.saturating_add(duration.subsec_nanos().div_ceil(1000) as u64)
}

call_options!(define);
batcher_options!(define);
queue_options!(define);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_up_to_microseconds() {
        let table = [
            (Duration::ZERO, 0),
            (Duration::from_nanos(1), 1),
            (Duration::from_micros(7), 7),
            (Duration::from_nanos(7001), 8),
            (Duration::MAX, u64::MAX),
        ];
        for (duration, expected) in table {
            let options = CallOptions::DEFAULT.max_call(duration);
            assert_eq!(options.max_call_microseconds, expected, "{duration:?}");
        }
    }

    #[test]
    fn changed_options_have_their_names_and_values() {
        let usual = CallOptions::DEFAULT;
        assert_eq!(usual.changed(&usual).count(), 0);
        let options = CallOptions {
            inline: true,
            max_call_microseconds: 7,
            ..usual
        };
        let changed: Vec<_> = options.changed(&usual).collect();
        let expected = [
            ("inline", OptionValue::Boolean(true)),
            ("max_call_microseconds", OptionValue::Number(7)),
        ];
        let expected = expected.map(|(name, value)| OptionRow {
            name,
            value,
            fields: &[],
        });
        assert_eq!(changed, expected);
    }

    #[test]
    fn each_value_follows_its_rule() {
        let options = BatcherOptions {
            minimum_slot_utilization: f32::NAN,
            priority_levels: 1,
            ..BatcherOptions::default()
        };
        let table = [
            ("minimum_slot_utilization", true),
            ("priority_levels", false),
            ("max_candidate_sequences", true),
            ("preserve_ordering", false),
            ("other", false),
        ];
        for (option, expected) in table {
            assert_eq!(options.flaw(option).is_some(), expected, "{option}");
        }
    }

    #[test]
    fn the_fields_of_a_message_have_different_numbers() {
        let rows = BatcherOptions::ROWS.iter().chain(QueuePolicy::ROWS);
        let fields = rows.flat_map(|(_, fields)| fields.iter());
        let mut fields: Vec<String> = fields.map(|field| format!("{field:?}")).collect();
        let count = fields.len();
        fields.sort();
        fields.dedup();
        assert_eq!(fields.len(), count);
    }
}
