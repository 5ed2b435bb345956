use std::fmt::Write;

use pytriton_engine::port::Port;

use crate::access::Access;
use crate::model::{CallOptions, Device, ModelSpec, TensorSpec};
use crate::registry::Registry;
use crate::tensor::shape_text;

use super::supervisor::Running;

/// Returns the text that is printed when the server is ready: the engine and the reason for it, all
/// models (failed ones are marked), the addresses, and what needs the access token.
///
/// With `with_token`, the address of the docs page contains a generated token in its fragment. Only
/// a terminal may receive it, and only a page on this machine is linked in this way.
pub(super) fn banner(registry: &Registry, started: &Running, with_token: bool) -> String {
    let (engine, reason) = (started.engine.name(), &started.reason);
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("pytriton {version}, engine {engine} ({reason})\n");
    for model in registry.iter() {
        let missing = match started.engine.has(model) {
            true => "",
            false => "; not loaded",
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "  model    {}{missing}", model_line(model));
    }
    let access = started.access.as_deref();
    let docs = started.addresses.get(Port::Docs);
    let is_local = docs.is_some_and(|docs| docs.address.ip().is_loopback());
    let token = access
        .filter(|_| with_token && is_local)
        .and_then(Access::generated_token);
    for (name, url) in started.addresses.urls() {
        let fragment = match &token {
            Some(token) if name == Port::Docs.name() => format!("#token={}", token.expose()),
            _ => String::new(),
        };
        let _ = writeln!(text, "  {name:<8} {url}{fragment}");
    }
    if let Some(notice) = access.and_then(Access::token_notice) {
        let _ = writeln!(text, "  closed   {notice}");
    }
    text.push_str("ready");
    text
}

/// Describes a model and its tensors in one line. Each shape includes the batch axis.
pub fn model_line(model: &ModelSpec) -> String {
    let mut line = format!(
        "{} {}: {} -> {}; ",
        model.name,
        model.version,
        signature(model, &model.inputs),
        signature(model, &model.outputs)
    );
    line.push_str(&match model.max_batch_size {
        0 => "no batching".to_owned(),
        size => format!("max batch {size}"),
    });
    line.push_str(&match model.instances.count() {
        1 => ", 1 instance".to_owned(),
        count => format!(", {count} instances"),
    });
    if on_gpu(model) {
        // Writing to a `String` cannot fail.
        let _ = write!(line, " on {}", model.instances);
    }
    for option in model.call_options.changed(&CallOptions::DEFAULT) {
        let _ = write!(line, ", {option}");
    }
    let callees = model.callees.iter().map(|callee| callee.name.as_str());
    let callees: Vec<&str> = callees.collect();
    if !callees.is_empty() {
        let _ = write!(line, ", calls {}", callees.join(", "));
    }
    line
}

/// Returns the models as a table, followed by the descriptions of their tensors.
pub fn table(registry: &Registry) -> String {
    let mut rows = vec![
        [
            "MODEL",
            "VERSION",
            "BATCH",
            "INSTANCES",
            "INPUTS",
            "OUTPUTS",
            "DESCRIPTION",
        ]
        .map(str::to_owned),
    ];
    for model in registry.iter() {
        rows.push([
            model.name.to_string(),
            model.version.to_string(),
            match model.max_batch_size {
                0 => "-".to_owned(),
                size => size.to_string(),
            },
            match on_gpu(model) {
                true => model.instances.to_string(),
                false => model.instances.count().to_string(),
            },
            signature(model, &model.inputs),
            signature(model, &model.outputs),
            first_line(&model.description).to_owned(),
        ]);
    }
    if rows.iter().skip(1).all(|row| row[6].is_empty()) {
        rows[0][6].clear();
    }
    let widths = [0, 1, 2, 3, 4, 5, 6].map(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    });
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths);
        let line: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{}", line.join("  ").trim_end());
    }
    text.extend(registry.iter().map(|model| described(model)));
    text
}

/// Returns the descriptions of a model's tensors, one per line.
fn described(model: &ModelSpec) -> String {
    let inputs = model.inputs.iter().map(|input| ("input", input));
    let outputs = model.outputs.iter().map(|output| ("output", output));
    let mut text = String::new();
    for (kind, tensor) in inputs.chain(outputs) {
        let first = first_line(&tensor.description);
        if !first.is_empty() {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "  {kind} {}: {first}", tensor.name);
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("\n{} {}\n{text}", model.name, model.version),
    }
}

/// Returns the first line of a description. The other lines are too long for the table.
fn first_line(description: &str) -> &str {
    description.lines().next().unwrap_or_default()
}

/// Returns whether an instance runs on a device other than the CPU.
fn on_gpu(model: &ModelSpec) -> bool {
    let mut groups = model.instances.groups().iter();
    groups.any(|group| group.device != Device::Cpu)
}

fn signature(model: &ModelSpec, tensors: &[TensorSpec]) -> String {
    let tensors: Vec<String> = tensors
        .iter()
        .map(|tensor| {
            let optional = if tensor.optional { "?" } else { "" };
            let shape = shape_text(&model.client_dims(tensor));
            format!("{}{optional} {} {shape}", tensor.name, tensor.datatype)
        })
        .collect();
    match tensors.is_empty() {
        true => "nothing".to_owned(),
        false => tensors.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use pytriton_protocol::signature::ModelSignature;

    use crate::registry::{ModelDeclaration, ModelOptions};
    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn a_model_is_one_line() {
        let registry = Registry::new(&[&IDENTITY]).unwrap();
        let model = registry.iter().next().unwrap();
        assert_eq!(
            model_line(model),
            "Identity 1: INPUT_1 FP32 [-1,-1] -> OUTPUT_1 FP32 [-1,-1]; max batch 8, 1 instance"
        );
        let mut calling = ModelSpec::clone(model);
        calling.callees = ["A", "B"]
            .map(|name| ModelSignature::new(name, 8, false))
            .into();
        assert!(model_line(&calling).ends_with(", 1 instance, calls A, B"));
        let mut changed = ModelSpec::clone(model);
        changed.call_options.batches_in_flight = 4;
        changed.call_options.response_cache = true;
        let options = ", 1 instance, response_cache, batches_in_flight = 4";
        assert!(model_line(&changed).ends_with(options));
        assert_eq!(
            table(&registry),
            "MODEL     VERSION  BATCH  INSTANCES  INPUTS                OUTPUTS\n\
             Identity  1        8      1          INPUT_1 FP32 [-1,-1]  OUTPUT_1 FP32 [-1,-1]\n"
        );
        const DESCRIBED: ModelDeclaration = ModelDeclaration {
            options: ModelOptions {
                description: "What comes, back.\n\nAll of it.",
                ..IDENTITY.options
            },
            inputs: &[IDENTITY.inputs[0].described("What comes.\n\nAny of it.")],
            ..IDENTITY
        };
        let registry = Registry::new(&[&DESCRIBED]).unwrap();
        assert_eq!(
            table(&registry),
            "MODEL     VERSION  BATCH  INSTANCES  INPUTS                OUTPUTS                DESCRIPTION\n\
             Identity  1        8      1          INPUT_1 FP32 [-1,-1]  OUTPUT_1 FP32 [-1,-1]  What comes, back.\n\
             \nIdentity 1\n  input INPUT_1: What comes.\n"
        );
    }
}
