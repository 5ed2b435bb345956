use pytriton_core::model::{Device, InstanceGroup, ModelSpec, TensorSpec, VersionPolicy};
use pytriton_protocol::tensor::DataType;

use super::batching::{dynamic_batching, sequence_batching};
use super::{Message, Scalar, Value};

/// The name of the backend, for models in this process or in another one.
pub const BACKEND: &str = "pytriton";

/// The configuration of a model that `backend` runs.
///
/// `policy` is the version policy of the model, if it differs from Triton's default.
///
/// Source: `ModelConfig` in Triton's `model_config.proto`, and `ModelConfigToJson` in Triton 2.51
/// for the order.
pub fn configuration<'a>(
    spec: &'a ModelSpec,
    backend: &'a str,
    policy: Option<&VersionPolicy>,
) -> Message<'a> {
    let mut config = Message::default();
    config.set("name", 1, &*spec.name);
    config.fill_in("platform", 2, "");
    config.set("backend", 17, backend);
    config.fill_in("runtime", 25, "");
    config.put(
        "version_policy",
        3,
        version_policy(policy),
        policy.is_some(),
    );
    config.set("max_batch_size", 4, size(spec.max_batch_size));
    let inputs = spec.inputs.iter().enumerate();
    let inputs = inputs.map(|(index, tensor)| input(tensor, spec.is_ragged(index)));
    config.set("input", 5, inputs.collect::<Vec<_>>());
    let outputs = spec.outputs.iter().enumerate();
    let outputs = outputs.map(|(index, tensor)| output(tensor, spec.label_filename(index)));
    config.set("output", 6, outputs.collect::<Vec<_>>());
    config.fill_in("batch_input", 20, Vec::new());
    config.fill_in("batch_output", 21, Vec::new());
    config.fill_in("optimization", 12, optimization());
    if let Some(batching) = spec.dynamic_batching().filter(|_| spec.batching()) {
        config.set("dynamic_batching", 11, dynamic_batching(spec, batching));
    }
    if let Some(batching) = spec.sequence_batching() {
        config.set("sequence_batching", 13, sequence_batching(spec, batching));
    }
    config.set("instance_group", 7, instance_groups(spec, backend));
    config.fill_in("default_model_filename", 8, "");
    config.fill_in("cc_model_filenames", 9, Value::Map(Vec::new()));
    config.fill_in("metric_tags", 10, Value::Map(Vec::new()));
    config.set("parameters", 14, parameters(spec));
    config.fill_in("model_warmup", 16, Vec::new());
    // Set explicitly, as in PyTriton, also for models with a single response.
    let mut transactions = Message::default();
    transactions.set("decoupled", 1, spec.decoupled);
    config.set("model_transaction_policy", 19, transactions);
    if spec.call_options.response_cache {
        config.set("response_cache", 24, enabled());
    }
    config
}

fn version_policy(policy: Option<&VersionPolicy>) -> Message<'static> {
    let mut message = Message::default();
    let mut choice = Message::default();
    match policy {
        None => {
            choice.fill_in("num_versions", 1, 1_u32);
            message.fill_in("latest", 1, choice);
        }
        Some(VersionPolicy::Latest(count)) => {
            choice.set("num_versions", 1, *count);
            message.set("latest", 1, choice);
        }
        Some(VersionPolicy::Specific(versions)) => {
            let versions = versions.iter().map(|&version| i64::from(version));
            choice.set("versions", 1, Value::Numbers(versions.collect()));
            message.set("specific", 3, choice);
        }
        Some(VersionPolicy::All) => message.set("all", 2, choice),
    }
    message
}

fn input(tensor: &TensorSpec, is_ragged: bool) -> Message<'_> {
    let mut input = Message::default();
    input.set("name", 1, &*tensor.name);
    input.set("data_type", 2, data_type(tensor.datatype));
    input.fill_in("format", 3, Scalar::Enumeration("FORMAT_NONE", 0));
    input.set("dims", 4, &*tensor.dims);
    input.fill_in("is_shape_tensor", 6, false);
    input.put("allow_ragged_batch", 7, is_ragged, is_ragged);
    input.put("optional", 8, tensor.optional, tensor.optional);
    input.fill_in("is_non_linear_format_io", 9, false);
    input
}

fn output(tensor: &TensorSpec, labels: String) -> Message<'_> {
    let mut output = Message::default();
    output.set("name", 1, &*tensor.name);
    output.set("data_type", 2, data_type(tensor.datatype));
    output.set("dims", 3, &*tensor.dims);
    let is_set = !labels.is_empty();
    output.put("label_filename", 4, labels, is_set);
    output.fill_in("is_shape_tensor", 6, false);
    output.fill_in("is_non_linear_format_io", 7, false);
    output
}

fn data_type(datatype: DataType) -> Scalar<'static> {
    let number = datatype.triton_number().into();
    Scalar::Enumeration(datatype.config_name(), number)
}

fn optimization() -> Message<'static> {
    let mut optimization = Message::default();
    optimization.fill_in("priority", 2, Scalar::Enumeration("PRIORITY_DEFAULT", 0));
    optimization.fill_in("input_pinned_memory", 5, enabled());
    optimization.fill_in("output_pinned_memory", 6, enabled());
    optimization.fill_in("gather_kernel_buffer_threshold", 7, 0_u32);
    optimization.fill_in("eager_batching", 8, false);
    optimization
}

fn enabled() -> Message<'static> {
    let mut enabled = Message::default();
    enabled.set("enable", 1, true);
    enabled
}

fn instance_groups<'a>(spec: &ModelSpec, backend: &str) -> Vec<Message<'a>> {
    let groups = spec.instances.groups().iter().enumerate();
    let groups = groups
        .map(|(index, group)| instance_group(format!("{}_{index}", spec.name), *group, backend));
    groups.collect()
}

fn instance_group<'a>(name: String, instances: InstanceGroup, backend: &str) -> Message<'a> {
    let mut group = Message::default();
    group.fill_in("name", 1, name);
    let (kind, gpus) = match instances.device {
        // Triton refuses a GPU that it cannot use itself, but the function runs in another process.
        Device::Gpu(_) if backend == BACKEND => (Scalar::Enumeration("KIND_MODEL", 3), Vec::new()),
        Device::Gpu(number) => (Scalar::Enumeration("KIND_GPU", 1), vec![number.into()]),
        Device::Cpu => (Scalar::Enumeration("KIND_CPU", 2), Vec::new()),
    };
    group.set("kind", 4, kind);
    group.set("count", 2, size(instances.count));
    let is_set = !gpus.is_empty();
    group.put("gpus", 3, Value::Numbers(gpus.into()), is_set);
    group.fill_in("secondary_devices", 8, Vec::new());
    group.fill_in("profile", 5, Vec::new());
    group.fill_in("passive", 7, false);
    group.fill_in("host_policy", 9, "");
    group
}

fn parameters(spec: &ModelSpec) -> Value<'_> {
    let parameters = spec.parameters.iter().map(|(name, text)| {
        let mut value = Message::default();
        value.set("string_value", 1, &**text);
        (Scalar::from(&**name), value)
    });
    Value::Map(parameters.collect())
}

/// A size, which is a signed number in the configuration.
fn size(size: u32) -> u32 {
    size.min(i32::MAX.cast_unsigned())
}
