use pytriton_core::model::{
    CallMode, DynamicBatching, ModelSpec, QueuePolicy, SequenceBatching, SequenceStrategy,
    TimeoutAction,
};

use super::{Message, Scalar, Value};

pub(super) fn dynamic_batching(spec: &ModelSpec, batching: &DynamicBatching) -> Message<'static> {
    let mut message = Message::default();
    let alone = is_alone(spec) || has_free_places(spec);
    let (preferred, explicit) = preferred(spec, &batching.preferred_batch_size, alone);
    message.put("preferred_batch_size", 1, preferred, explicit);
    // With a delay, Triton 2.51 merges batches that wait for an instance, whatever sizes are
    // preferred.
    let delay = match alone {
        true => 0,
        false => batching.max_queue_delay_microseconds,
    };
    message.set("max_queue_delay_microseconds", 2, delay);
    message.set("preserve_ordering", 3, batching.preserve_ordering);
    let (levels, default_level, policies) = match &batching.priorities {
        None => (0, 0, &[][..]),
        Some(priorities) => (
            priorities.levels,
            priorities.default_level,
            &*priorities.queue_policies,
        ),
    };
    let several = batching.priorities.is_some();
    message.put("priority_levels", 4, levels, several);
    message.put("default_priority_level", 5, default_level, several);
    // The server's default limit is not set here: with any queue policy or priority, Triton 2.51
    // checks for free instances only twice a second.
    if batching.queue_policy != QueuePolicy::DEFAULT {
        message.set(
            "default_queue_policy",
            6,
            queue_policy(batching.queue_policy),
        );
    }
    let policies = policies.iter();
    let policies = policies.map(|(level, policy)| (Scalar::from(*level), queue_policy(*policy)));
    message.put(
        "priority_queue_policy",
        7,
        Value::Map(policies.collect()),
        several,
    );
    message
}

/// Whether requests may stream indefinitely, so that none must wait for the end of another in its
/// batch.
fn is_alone(spec: &ModelSpec) -> bool {
    spec.decoupled && (spec.call == CallMode::Request || spec.by_parameters)
}

/// Whether a request that is never batched would wait for others although an instance is free.
fn has_free_places(spec: &ModelSpec) -> bool {
    let several = spec.instances.count() > 1 || spec.call_options.batches_in_flight > 1;
    spec.call == CallMode::Request && several
}

/// The preferred batch sizes, and whether the model sets them; 1 if requests must not be batched.
fn preferred(spec: &ModelSpec, sizes: &[u32], alone: bool) -> (Value<'static>, bool) {
    let alone = alone && spec.batching();
    let preferred = match sizes {
        _ if alone => vec![1],
        [] if spec.batching() => vec![spec.max_batch_size.into()],
        sizes => sizes.iter().copied().map(i64::from).collect(),
    };
    let is_set = alone || !sizes.is_empty();
    (Value::Numbers(preferred.into()), is_set)
}

pub(super) fn sequence_batching(spec: &ModelSpec, batching: &SequenceBatching) -> Message<'static> {
    let mut message = Message::default();
    match &batching.strategy {
        SequenceStrategy::Direct {
            max_queue_delay_microseconds,
            minimum_slot_utilization,
        } => {
            let mut direct = Message::default();
            let delay = *max_queue_delay_microseconds;
            direct.set("max_queue_delay_microseconds", 1, delay);
            direct.set("minimum_slot_utilization", 2, *minimum_slot_utilization);
            message.set("direct", 3, direct);
        }
        SequenceStrategy::Oldest {
            max_candidate_sequences,
            preferred_batch_size,
            max_queue_delay_microseconds,
            preserve_ordering,
        } => {
            let mut oldest = Message::default();
            let candidates = (*max_candidate_sequences).min(i32::MAX.cast_unsigned());
            oldest.set("max_candidate_sequences", 1, candidates);
            let (preferred, explicit) = preferred(spec, preferred_batch_size, is_alone(spec));
            oldest.put("preferred_batch_size", 2, preferred, explicit);
            let delay = *max_queue_delay_microseconds;
            oldest.set("max_queue_delay_microseconds", 3, delay);
            oldest.set("preserve_ordering", 4, *preserve_ordering);
            message.set("oldest", 4, oldest);
        }
    }
    message.set(
        "max_sequence_idle_microseconds",
        1,
        batching.max_sequence_idle_microseconds,
    );
    message.fill_in("control_input", 2, Vec::new());
    message.fill_in("state", 5, Vec::new());
    message.fill_in("iterative_sequence", 6, false);
    message
}

fn queue_policy(policy: QueuePolicy) -> Message<'static> {
    let mut message = Message::default();
    let action = match policy.timeout_action {
        TimeoutAction::Reject => Scalar::Enumeration("REJECT", 0),
        TimeoutAction::Delay => Scalar::Enumeration("DELAY", 1),
    };
    message.set("timeout_action", 1, action);
    message.set(
        "default_timeout_microseconds",
        2,
        policy.default_timeout_microseconds,
    );
    message.set("allow_timeout_override", 3, policy.allow_timeout_override);
    message.set("max_queue_size", 4, policy.max_queue_size);
    message
}
