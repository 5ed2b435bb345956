use std::sync::Arc;

use crate::kserve::PLATFORM;
use crate::model::{DynamicBatching, ModelSpec, QueuePolicy, TensorSpec, TimeoutAction};
use crate::proto::model_config::SchedulingChoice;
use crate::proto::model_instance_group::Kind;
use crate::proto::model_optimization_policy::PinnedMemoryBuffer;
use crate::proto::model_queue_policy;
use crate::proto::model_version_policy::{All, Latest, PolicyChoice};
use crate::proto::{
    self, ModelConfig, ModelDynamicBatching, ModelInput, ModelInstanceGroup,
    ModelOptimizationPolicy, ModelOutput, ModelParameter, ModelQueuePolicy, ModelResponseCache,
    ModelTransactionPolicy, ModelVersionPolicy,
};
use crate::tensor::DataType;

/// The configuration of a model, with the defaults that Triton fills in.
///
/// `versions` are those that are served under its name.
pub fn config(spec: &ModelSpec, versions: &[u32]) -> ModelConfig {
    let policy_choice = match versions {
        [] | [_] => PolicyChoice::Latest(Latest { num_versions: 1 }),
        _ => PolicyChoice::All(All {}),
    };
    ModelConfig {
        name: spec.name.to_owned().to_string(),
        backend: PLATFORM.to_owned(),
        version_policy: Some(ModelVersionPolicy {
            policy_choice: Some(policy_choice),
        }),
        max_batch_size: signed(spec.max_batch_size),
        input: spec.inputs.iter().map(input).collect(),
        output: spec.outputs.iter().map(output).collect(),
        instance_group: vec![ModelInstanceGroup {
            name: format!("{}_0", spec.name),
            kind: Kind::Cpu.into(),
            count: signed(spec.instances),
            ..ModelInstanceGroup::default()
        }],
        optimization: Some(ModelOptimizationPolicy {
            input_pinned_memory: Some(PinnedMemoryBuffer { enable: true }),
            output_pinned_memory: Some(PinnedMemoryBuffer { enable: true }),
            ..ModelOptimizationPolicy::default()
        }),
        scheduling_choice: spec
            .dynamic_batching
            .as_ref()
            .map(|batching| SchedulingChoice::DynamicBatching(dynamic_batching(spec, batching))),
        response_cache: spec
            .response_cache
            .then_some(ModelResponseCache { enable: true }),
        parameters: spec.parameters.iter().map(parameter).collect(),
        model_transaction_policy: Some(ModelTransactionPolicy { decoupled: false }),
        ..ModelConfig::default()
    }
}

fn input(tensor: &TensorSpec) -> ModelInput {
    ModelInput {
        name: tensor.name.to_owned().to_string(),
        data_type: data_type(tensor.datatype).into(),
        dims: tensor.dims.clone(),
        optional: tensor.optional,
        ..ModelInput::default()
    }
}

fn output(tensor: &TensorSpec) -> ModelOutput {
    ModelOutput {
        name: tensor.name.to_owned().to_string(),
        data_type: data_type(tensor.datatype).into(),
        dims: tensor.dims.clone(),
        ..ModelOutput::default()
    }
}

fn data_type(datatype: DataType) -> proto::DataType {
    proto::DataType::from_str_name(datatype.config_name()).unwrap_or_default()
}

fn dynamic_batching(spec: &ModelSpec, batching: &DynamicBatching) -> ModelDynamicBatching {
    let preferred = match batching.preferred_batch_size.as_slice() {
        [] => std::slice::from_ref(&spec.max_batch_size),
        sizes => sizes,
    };
    let policy = &batching.queue_policy;
    let priorities = batching.priorities.clone().unwrap_or_default();
    ModelDynamicBatching {
        preferred_batch_size: preferred.iter().copied().map(signed).collect(),
        max_queue_delay_microseconds: batching.max_queue_delay_microseconds,
        preserve_ordering: batching.preserve_ordering,
        default_queue_policy: (*policy != QueuePolicy::DEFAULT).then(|| queue_policy(policy)),
        priority_levels: priorities.levels.into(),
        default_priority_level: priorities.default_level.into(),
        priority_queue_policy: priorities
            .queue_policies
            .iter()
            .map(|(level, policy)| (u64::from(*level), queue_policy(policy)))
            .collect(),
    }
}

fn queue_policy(policy: &QueuePolicy) -> ModelQueuePolicy {
    let action = match policy.timeout_action {
        TimeoutAction::Reject => model_queue_policy::TimeoutAction::Reject,
        TimeoutAction::Delay => model_queue_policy::TimeoutAction::Delay,
    };
    ModelQueuePolicy {
        timeout_action: action.into(),
        default_timeout_microseconds: policy.default_timeout_microseconds,
        allow_timeout_override: policy.allow_timeout_override,
        max_queue_size: policy.max_queue_size,
    }
}

fn parameter((name, value): &(Arc<str>, Arc<str>)) -> (String, ModelParameter) {
    let string_value = value.to_string();
    (name.to_string(), ModelParameter { string_value })
}

/// The sizes that the configuration has as signed numbers.
fn signed(size: u32) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}
