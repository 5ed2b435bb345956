use pytriton_core::model::{
    BatcherOptions, CallOptions, ModelSpec, OptionRow, OptionValue, QueuePolicy, TensorSpec,
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
    let outputs = model.outputs.iter().map(|tensor| {
        let mut shown = shown(tensor);
        if tensor.optional {
            shown["optional"] = true.into();
        }
        shown
    });
    let mut extension = json!({
        "name": &*model.name,
        "versions": numbers,
        "description": &*model.description,
        "max_batch_size": model.max_batch_size,
        "decoupled": model.decoupled,
        "sequences": model.sequence_batching().is_some(),
        "instances": model.instances.count(),
        "options": options(model),
        "inputs": inputs.collect::<Vec<Value>>(),
        "outputs": outputs.collect::<Vec<Value>>(),
    });
    if !model.callees.is_empty() {
        let callees = model.callees.iter().map(|callee| callee.name.as_str());
        extension["calls"] = callees.collect();
    }
    Some(extension)
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
    let rows = model.call_options.changed(&CallOptions::DEFAULT);
    let mut options: Map<String, Value> = rows.map(member).collect();
    let Some(batcher) = &model.batcher else {
        if model.batching() {
            options.insert("dynamic_batching".to_owned(), false.into());
        }
        return options;
    };
    let usual = BatcherOptions::DEFAULT.max_candidate_sequences(model.max_batch_size.max(1));
    let rows = batcher.options.changed(&usual);
    options.extend(rows.filter(|row| batcher.has(row)).map(member));
    let rows = batcher.queue_policy.changed(&QueuePolicy::DEFAULT);
    options.extend(rows.filter(|row| batcher.has(row)).map(member));
    let sizes = &batcher.preferred_batch_size;
    if !sizes.is_empty() {
        options.insert("preferred_batch_size".to_owned(), sizes.as_slice().into());
    }
    if let Some(strategy) = batcher.sequences {
        options.insert("sequence_batching".to_owned(), strategy.name().into());
    }
    options
}

fn member(row: OptionRow) -> (String, Value) {
    let value = match row.value {
        OptionValue::Boolean(boolean) => boolean.into(),
        OptionValue::Number(number) => number.into(),
        // Via its text, because the conversion of an `f32` to a double adds digits.
        OptionValue::Fraction(fraction) => fraction
            .to_string()
            .parse::<f64>()
            .unwrap_or_default()
            .into(),
        OptionValue::Action(action) => action.name().into(),
    };
    (row.name.to_owned(), value)
}
