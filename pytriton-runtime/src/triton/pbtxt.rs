use std::fmt::{self, Write};
use std::sync::Arc;

use thiserror::Error;

use crate::model::{DynamicBatching, Location, ModelSpec, QueuePolicy, TensorSpec, TimeoutAction};

/// The name of the backend behind which the models are in another process.
pub const BACKEND: &str = "pytriton";

/// Why the versions of a model have no `config.pbtxt` in common.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Triton knows one configuration for all versions of a model.
    #[error(
        "model `{model}`: tritonserver has one configuration for all versions of a model, but version {version} \
         (declared at {location}) has `{line}` where version {other_version} (declared at {other_location}) has \
         `{other_line}`"
    )]
    VersionsDiffer {
        /// The model.
        model: Arc<str>,
        /// A version.
        version: u32,
        /// Where it stands.
        location: Location,
        /// The first line of its configuration that differs.
        line: String,
        /// Another version.
        other_version: u32,
        /// Where it stands.
        other_location: Location,
        /// The line it has there.
        other_line: String,
    },
}

/// The `config.pbtxt` of a model, from all its versions.
///
/// `backend` is the name of the backend that runs it.
///
/// Source: `ModelConfig` in Triton's `model_config.proto`.
///
/// # Errors
///
/// [`ConfigError::VersionsDiffer`] when the versions differ in more than their number.
pub fn config_text(
    backend: &str,
    spec: &ModelSpec,
    other_versions: &[&ModelSpec],
) -> Result<String, ConfigError> {
    let mut text = model(backend, spec);
    for other in other_versions {
        differ(spec, &text, other, &model(backend, other))?;
    }
    if !other_versions.is_empty() {
        text.block("version_policy", |text| text.block("all", |_| {}));
    }
    Ok(text.text)
}

fn differ(
    one: &ModelSpec,
    one_text: &Text,
    other: &ModelSpec,
    other_text: &Text,
) -> Result<(), ConfigError> {
    let mut lines = one_text.text.lines();
    let mut other_lines = other_text.text.lines();
    let (line, other_line) = loop {
        match (lines.next(), other_lines.next()) {
            (None, None) => return Ok(()),
            (line, other_line) if line == other_line => {}
            (line, other_line) => break (line, other_line),
        }
    };
    let owned = |line: Option<&str>| line.unwrap_or("nothing").trim().to_owned();
    Err(ConfigError::VersionsDiffer {
        model: Arc::clone(&one.name),
        version: one.version,
        location: one.location,
        line: owned(line),
        other_version: other.version,
        other_location: other.location,
        other_line: owned(other_line),
    })
}

/// What all versions of a model must agree on.
fn model(backend: &str, spec: &ModelSpec) -> Text {
    let mut text = Text::default();
    text.field("name", quoted(&spec.name));
    text.field("backend", quoted(backend));
    text.field("max_batch_size", spec.max_batch_size);
    for input in &spec.inputs {
        text.block("input", |text| tensor(text, input));
    }
    for output in &spec.outputs {
        text.block("output", |text| tensor(text, output));
    }
    // Said as PyTriton says it: each request has one response.
    text.block("model_transaction_policy", |text| {
        text.field("decoupled", false);
    });
    text.block("instance_group", |text| {
        text.field("count", spec.instances);
        text.field("kind", "KIND_CPU");
    });
    if let Some(batching) = spec.dynamic_batching.as_ref().filter(|_| spec.batching()) {
        text.block("dynamic_batching", |text| dynamic_batching(text, batching));
    }
    if spec.response_cache {
        text.block("response_cache", |text| text.field("enable", true));
    }
    for (name, value) in &spec.parameters {
        text.block("parameters", |text| {
            text.field("key", quoted(name));
            text.block("value", |text| text.field("string_value", quoted(value)));
        });
    }
    text
}

fn tensor(text: &mut Text, tensor: &TensorSpec) {
    text.field("name", quoted(&tensor.name));
    text.field("data_type", tensor.datatype.config_name());
    text.list("dims", &tensor.dims);
    if tensor.optional {
        text.field("optional", true);
    }
}

fn dynamic_batching(text: &mut Text, batching: &DynamicBatching) {
    text.list("preferred_batch_size", &batching.preferred_batch_size);
    text.field(
        "max_queue_delay_microseconds",
        batching.max_queue_delay_microseconds,
    );
    text.field("preserve_ordering", batching.preserve_ordering);
    // Not the server's own bound: any policy, and any priority, makes Triton 2.51 look only twice a second for a free instance.
    if batching.queue_policy != QueuePolicy::DEFAULT {
        text.block("default_queue_policy", |text| {
            queue_policy(text, &batching.queue_policy);
        });
    }
    if let Some(priorities) = &batching.priorities {
        text.field("priority_levels", priorities.levels);
        text.field("default_priority_level", priorities.default_level);
        for (level, policy) in &priorities.queue_policies {
            text.block("priority_queue_policy", |text| {
                text.field("key", level);
                text.block("value", |text| queue_policy(text, policy));
            });
        }
    }
}

fn queue_policy(text: &mut Text, policy: &QueuePolicy) {
    let action = match policy.timeout_action {
        TimeoutAction::Reject => "REJECT",
        TimeoutAction::Delay => "DELAY",
    };
    text.field("timeout_action", action);
    text.field(
        "default_timeout_microseconds",
        policy.default_timeout_microseconds,
    );
    text.field("allow_timeout_override", policy.allow_timeout_override);
    text.field("max_queue_size", policy.max_queue_size);
}

/// Protobuf text that is being written.
#[derive(Debug, Default)]
struct Text {
    text: String,
    depth: usize,
}

impl Text {
    fn line(&mut self, line: fmt::Arguments<'_>) {
        let indent = 2 * self.depth;
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn field(&mut self, name: &str, value: impl fmt::Display) {
        self.line(format_args!("{name}: {value}"));
    }

    fn list(&mut self, name: &str, values: &[impl ToString]) {
        if values.is_empty() {
            return;
        }
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        self.field(name, format_args!("[{}]", values.join(", ")));
    }

    fn block(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.line(format_args!("{name} {{"));
        self.depth += 1;
        write(self);
        self.depth -= 1;
        self.line(format_args!("}}"));
    }
}

/// A string of the protobuf text format.
fn quoted(value: &str) -> String {
    let mut quoted = String::with_capacity(value.len() + 2);
    quoted.push('"');
    for character in value.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Three digits, so that a digit behind it is not taken for a fourth.
            '\0'..='\x1f' | '\x7f' => {
                // Writing to a `String` cannot fail.
                let _ = write!(quoted, "\\{:03o}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
#[path = "pbtxt_tests.rs"]
pub(super) mod tests;
