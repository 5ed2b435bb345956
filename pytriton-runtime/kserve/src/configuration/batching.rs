use pytriton_core::model::{
    Batcher, CallMode, ConfigMessage, ModelSpec, QueuePolicy, SequenceScheduling,
};

use super::{Message, Scalar, Value};

pub(super) fn dynamic_batching(spec: &ModelSpec, batcher: &Batcher) -> Message<'static> {
    let mut message = Message::default();
    let alone = is_alone(spec) || has_free_places(spec);
    let (preferred, explicit) = preferred(spec, &batcher.preferred_batch_size, alone);
    message.put("preferred_batch_size", 1, preferred, explicit);
    let mut options = batcher.options;
    if alone {
        // With a delay, Triton 2.51 merges batches that wait for an instance, whatever sizes are
        // preferred.
        options.max_queue_delay_microseconds = 0;
    }
    let levels = options.priority_levels > 0;
    for row in options.rows() {
        // Without levels, these are Triton's defaults.
        let explicit = levels || !row.name.contains("priority_level");
        message.put_option(row, ConfigMessage::Dynamic, explicit);
    }
    // The server's default limit is not set here: with any queue policy or priority, Triton 2.51
    // checks for free instances only twice a second.
    if batcher.queue_policy != QueuePolicy::DEFAULT {
        message.set(
            "default_queue_policy",
            6,
            queue_policy(&batcher.queue_policy),
        );
    }
    let policies = batcher.priority_queue_policy.iter();
    let policies = policies.filter(|_| levels);
    let policies = policies.map(|(level, policy)| (Scalar::from(*level), queue_policy(policy)));
    let policies = Value::Map(policies.collect());
    message.put("priority_queue_policy", 7, policies, levels);
    message
}

/// Whether requests may stream indefinitely, so that none must wait for the end of another in its
/// batch.
fn is_alone(spec: &ModelSpec) -> bool {
    let splits = spec.call == CallMode::Request || spec.by_parameters || spec.by_identity();
    spec.decoupled && splits
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

pub(super) fn sequence_batching(spec: &ModelSpec, batcher: &Batcher) -> Message<'static> {
    let mut message = Message::default();
    let rows = || batcher.options.rows();
    let mut strategy = Message::default();
    match batcher.sequences {
        Some(SequenceScheduling::Oldest) => {
            rows().for_each(|row| strategy.put_option(row, ConfigMessage::Oldest, true));
            let sizes = &batcher.preferred_batch_size;
            let (preferred, explicit) = preferred(spec, sizes, is_alone(spec));
            strategy.put("preferred_batch_size", 2, preferred, explicit);
            strategy.fields.sort_by_key(|field| field.number);
            message.set("oldest", 4, strategy);
        }
        _ => {
            rows().for_each(|row| strategy.put_option(row, ConfigMessage::Direct, true));
            message.set("direct", 3, strategy);
        }
    }
    rows().for_each(|row| message.put_option(row, ConfigMessage::Sequence, true));
    message.fill_in("control_input", 2, Vec::new());
    message.fill_in("state", 5, Vec::new());
    message.fill_in("iterative_sequence", 6, false);
    message
}

fn queue_policy(policy: &QueuePolicy) -> Message<'static> {
    let mut message = Message::default();
    policy
        .rows()
        .for_each(|row| message.put_option(row, ConfigMessage::Queue, true));
    message
}
