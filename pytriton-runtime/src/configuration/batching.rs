use crate::model::{CallMode, DynamicBatching, ModelSpec, QueuePolicy, TimeoutAction};

use super::{Message, Scalar, Value};

pub(super) fn dynamic_batching(spec: &ModelSpec, batching: &DynamicBatching) -> Message<'static> {
    let mut message = Message::default();
    // Each request may be answered for ever: none waits for the end of another that it would be batched with.
    let apart = spec.call == CallMode::Request || spec.by_parameters;
    let alone = spec.decoupled && apart;
    let preferred = match batching.preferred_batch_size.as_slice() {
        _ if alone => vec![1],
        [] => vec![spec.max_batch_size.into()],
        sizes => sizes.iter().copied().map(i64::from).collect(),
    };
    message.put(
        "preferred_batch_size",
        1,
        Value::Numbers(preferred.into()),
        alone || !batching.preferred_batch_size.is_empty(),
    );
    message.say(
        "max_queue_delay_microseconds",
        2,
        batching.max_queue_delay_microseconds,
    );
    message.say("preserve_ordering", 3, batching.preserve_ordering);
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
    // Not the server's own bound: any policy, and any priority, makes Triton 2.51 look only twice a second for a free instance.
    if batching.queue_policy != QueuePolicy::DEFAULT {
        message.say(
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

fn queue_policy(policy: QueuePolicy) -> Message<'static> {
    let mut message = Message::default();
    let action = match policy.timeout_action {
        TimeoutAction::Reject => Scalar::Enumeration("REJECT", 0),
        TimeoutAction::Delay => Scalar::Enumeration("DELAY", 1),
    };
    message.say("timeout_action", 1, action);
    message.say(
        "default_timeout_microseconds",
        2,
        policy.default_timeout_microseconds,
    );
    message.say("allow_timeout_override", 3, policy.allow_timeout_override);
    message.say("max_queue_size", 4, policy.max_queue_size);
    message
}
