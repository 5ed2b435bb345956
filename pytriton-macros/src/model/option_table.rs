use Form::{Action, Boolean, Fraction, Instances, Number, Numbers, Strategy, Text, Versions};
use Group::{Call, Model, Queue};

use crate::value::Form;

/// The option for sequence batching.
pub(super) const SEQUENCES: &str = "sequence_batching";
/// The option that permits calls of the function on connection threads.
pub(super) const INLINE: &str = "inline";

/// The fields of the runtime's options that have a type of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// `ModelOptions` itself.
    Model,
    /// `CallOptions`.
    Call,
    /// `QueuePolicy`: of the model, or of a priority level.
    Queue,
}

/// An option: its name, the form of its value, and whether it can conflict with others. The rules
/// and defaults are in the runtime.
pub(super) type Declared = (&'static str, Form, bool, Group);

/// The options of a model.
pub(super) const OPTIONS: &[Declared] = &[
    ("name", Text, false, Model),
    ("version", Number, false, Model),
    ("version_policy", Versions, false, Model),
    ("max_batch_size", Number, false, Model),
    ("batching", Boolean, true, Model),
    ("instances", Instances, false, Model),
    ("batches_in_flight", Number, false, Call),
    (INLINE, Boolean, true, Call),
    ("max_call_microseconds", Number, false, Call),
    ("unrecoverable_panics", Boolean, false, Call),
    ("max_batch_cost", Number, true, Call),
    ("dynamic_batching", Boolean, true, Model),
    ("preferred_batch_size", Numbers, true, Model),
    ("max_queue_delay_microseconds", Number, false, Model),
    ("preserve_ordering", Boolean, true, Model),
    ("priority_levels", Number, true, Model),
    ("default_priority_level", Number, true, Model),
    (SEQUENCES, Strategy, true, Model),
    ("max_sequence_idle_microseconds", Number, true, Model),
    ("minimum_slot_utilization", Fraction, true, Model),
    ("max_candidate_sequences", Number, true, Model),
    ("response_cache", Boolean, true, Call),
    ("description", Text, false, Model),
    ("max_queue_size", Number, true, Queue),
    ("default_timeout_microseconds", Number, true, Queue),
    ("timeout_action", Action, true, Queue),
    ("allow_timeout_override", Boolean, true, Queue),
];
