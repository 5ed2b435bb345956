use pytriton_core::model::{
    DynamicBatching, ModelSpec, SequenceBatching, SequenceStrategy, TensorSpec, TimeoutAction,
};
use serde_json::{Map, Value, json};

/// Returns the properties that OpenAPI cannot express, for `x-pytriton-model`. The versions are
/// ascending, and the last one is described.
pub(super) fn extension(versions: &[&ModelSpec]) -> Option<Value> {
    let model = versions.last()?;
    let numbers: Vec<String> = versions
        .iter()
        .map(|spec| spec.version.to_string())
        .collect();
    let inputs = model.inputs.iter().enumerate().map(|(index, tensor)| {
        let mut first_values = model.first_values.iter();
        let mut shown = shown(tensor);
        shown["optional"] = tensor.optional.into();
        shown["first_value"] = first_values.any(|value| value.input == index).into();
        shown
    });
    Some(json!({
        "name": &*model.name,
        "versions": numbers,
        "description": &*model.description,
        "max_batch_size": model.max_batch_size,
        "decoupled": model.decoupled,
        "sequences": model.sequence_batching.is_some(),
        "instances": model.instances.count(),
        "options": options(model),
        "inputs": inputs.collect::<Vec<Value>>(),
        "outputs": model.outputs.iter().map(shown).collect::<Vec<Value>>(),
    }))
}

fn shown(tensor: &TensorSpec) -> Value {
    let mut shown = json!({
        "name": &*tensor.name,
        "datatype": tensor.datatype.name(),
        "dims": tensor.dims,
        "description": &*tensor.description,
    });
    if !tensor.example.is_empty() {
        let elements = tensor.example.iter().map(|text| &**text);
        shown["example"] = elements.collect();
    }
    shown
}

/// Returns the options that differ from their defaults, with the names used in
/// `#[pytriton::model]`.
fn options(model: &ModelSpec) -> Map<String, Value> {
    let mut options = Options::default();
    for (name, value) in model.call_options.changed::<Value>() {
        options.0.insert(name.to_owned(), value);
    }
    match (&model.dynamic_batching, &model.sequence_batching) {
        (Some(batching), _) => options.dynamic(batching),
        (None, Some(batching)) => options.sequences(batching, model.max_batch_size.max(1)),
        (None, None) => options.put("dynamic_batching", false, &model.batching()),
    }
    options.0
}

#[derive(Debug, Default)]
struct Options(Map<String, Value>);

impl Options {
    fn put<T: Into<Value> + PartialEq>(&mut self, name: &str, value: T, usual: &T) {
        if value != *usual {
            self.0.insert(name.to_owned(), value.into());
        }
    }

    fn dynamic(&mut self, batching: &DynamicBatching) {
        self.gathering(
            &batching.preferred_batch_size,
            batching.max_queue_delay_microseconds,
            batching.preserve_ordering,
        );
        let policy = &batching.queue_policy;
        self.put("max_queue_size", policy.max_queue_size, &0);
        let timeout = policy.default_timeout_microseconds;
        self.put("default_timeout_microseconds", timeout, &0);
        let action = match policy.timeout_action {
            TimeoutAction::Reject => "reject",
            TimeoutAction::Delay => "delay",
        };
        self.put("timeout_action", action, &"reject");
        self.put(
            "allow_timeout_override",
            policy.allow_timeout_override,
            &false,
        );
        if let Some(priorities) = &batching.priorities {
            self.put("priority_levels", priorities.levels, &0);
            self.put("default_priority_level", priorities.default_level, &0);
        }
    }

    fn sequences(&mut self, batching: &SequenceBatching, rows: u32) {
        let idle = batching.max_sequence_idle_microseconds;
        let usual = SequenceBatching::DEFAULT_IDLE_MICROSECONDS;
        self.put("max_sequence_idle_microseconds", idle, &usual);
        let strategy = match &batching.strategy {
            SequenceStrategy::Direct {
                max_queue_delay_microseconds,
                minimum_slot_utilization,
            } => {
                self.gathering(&[], *max_queue_delay_microseconds, false);
                // Via its text, because the conversion of an `f32` to a double adds digits.
                let utilization = minimum_slot_utilization.to_string().parse();
                let utilization: f64 = utilization.unwrap_or_default();
                self.put("minimum_slot_utilization", utilization, &0.0);
                "direct"
            }
            SequenceStrategy::Oldest {
                max_candidate_sequences,
                preferred_batch_size,
                max_queue_delay_microseconds,
                preserve_ordering,
            } => {
                self.gathering(
                    preferred_batch_size,
                    *max_queue_delay_microseconds,
                    *preserve_ordering,
                );
                self.put("max_candidate_sequences", *max_candidate_sequences, &rows);
                "oldest"
            }
        };
        self.put("sequence_batching", strategy, &"");
    }

    fn gathering(&mut self, preferred: &[u32], delay: u64, ordered: bool) {
        self.put("preferred_batch_size", preferred.to_vec(), &Vec::new());
        self.put("max_queue_delay_microseconds", delay, &0);
        self.put("preserve_ordering", ordered, &false);
    }
}
