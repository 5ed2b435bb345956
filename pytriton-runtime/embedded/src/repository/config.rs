use std::sync::Arc;

use pytriton_core::model::{Batcher, ModelSpec, VersionPolicy};
use pytriton_core::registry::Registration;
use pytriton_core::text::excerpt;
use pytriton_kserve::configuration::{BACKEND, configuration};
use pytriton_kserve::json::bounded_object;
use serde_json::{Map, Value};

use super::config_instances::instances;
use super::config_value::{is_empty, is_same, number};

/// The memory that parsing a configuration takes per byte of its text. An object with one member
/// takes five bytes of text, such as `{"":` and `}`, and a whole node of a tree.
pub(crate) const CONFIG_MEMORY: usize = 128;

/// Applies another configuration (`ModelConfig` as JSON) to a model. As in Triton, it replaces the
/// whole configuration: missing fields have Triton's defaults, except for what is compiled in, such
/// as inputs and outputs.
///
/// The caller has reserved [`CONFIG_MEMORY`] times the text.
///
/// `policy` is the version policy, or `None` for Triton's default. It is kept unless the
/// configuration sets another one, so that a load does not hide versions unintentionally.
///
/// # Errors
///
/// Returns a message if the model does not support the configuration.
pub(super) fn overridden(
    mut model: Registration,
    config: &str,
    policy: Option<&VersionPolicy>,
) -> Result<Registration, String> {
    let config = bounded_object(config)
        .map_err(|error| format!("Invalid config override: {}", excerpt(&error)))?;
    let own = configuration(&model.spec, BACKEND, policy).json();
    let own: Map<String, Value> =
        serde_json::from_slice(&own).map_err(|error| error.to_string())?;
    let mut spec = ModelSpec::clone(&model.spec);
    spec.instances = 1.into();
    spec.batcher = spec.sequence_batching().cloned();
    spec.call_options.response_cache = false;
    spec.parameters = Vec::new();
    for name in COMPILED {
        if own.contains_key(name) && !config.contains_key(name) {
            return Err(format!(
                "'{name}' is part of the binary and cannot be omitted"
            ));
        }
    }
    for (name, value) in &config {
        match name.as_str() {
            "name" if value.as_str() != Some(&*spec.name) => {
                return Err(format!(
                    "unexpected directory name '{}' for model '{}', directory name must equal model name",
                    spec.name,
                    excerpt(value.as_str().unwrap_or_default())
                ));
            }
            "version_policy" if own.get(name) != Some(value) => {
                spec.version_policy = Some(version_policy(value)?);
            }
            "max_batch_size" => spec.max_batch_size = max_batch_size(&spec, value)?,
            "instance_group" => spec.instances = instances(value)?,
            "dynamic_batching" if spec.sequence_batching().is_none() => {
                let before = model.spec.batcher.as_ref();
                spec.batcher = Some(dynamic_batching(before, own.get(name), value)?);
            }
            "response_cache" => {
                spec.call_options.response_cache = value["enable"] == true;
                if spec.call_options.response_cache && !model.spec.call_options.response_cache {
                    return Err(
                        "'response_cache' of the model is part of the binary and cannot be enabled"
                            .to_owned(),
                    );
                }
            }
            "parameters" => set_parameters(&mut spec, value)?,
            _ if own.get(name).is_some_and(|own| is_same(own, value)) => {}
            _ if own.contains_key(name) || FIELDS.contains(&name.as_str()) => {
                return Err(format!(
                    "'{name}' is part of the binary and cannot be changed"
                ));
            }
            _ => {
                return Err(format!(
                    "Invalid config override: {}: Cannot find field.",
                    excerpt(name)
                ));
            }
        }
    }
    if let Some(batching) = spec.dynamic_batching()
        && let largest = batching.preferred_batch_size.iter().max()
        && largest.is_some_and(|largest| *largest > spec.max_batch_size)
    {
        return Err(format!(
            "dynamic batching preferred size must be <= max batch size for {}",
            spec.name
        ));
    }
    model.spec = Arc::new(spec);
    Ok(model)
}

/// Fields that the function determines, if the model has them.
const COMPILED: [&str; 1] = ["sequence_batching"];

/// Fields that a configuration may contain, but ours do not.
const FIELDS: [&str; 7] = [
    "dynamic_batching",
    "sequence_batching",
    "ensemble_scheduling",
    "model_operations",
    "model_repository_agents",
    "input",
    "output",
];

fn version_policy(value: &Value) -> Result<VersionPolicy, String> {
    let wrong = || "'version_policy' with this choice is not supported".to_owned();
    let choices = value.as_object().ok_or_else(wrong)?;
    let mut choices = choices.iter();
    let (name, choice) = choices.next().ok_or_else(wrong)?;
    let number = |value: &Value| number(value).and_then(|number| u32::try_from(number).ok());
    let policy = match name.as_str() {
        "latest" => number(&choice["num_versions"]).map(VersionPolicy::Latest),
        "all" => Some(VersionPolicy::All),
        "specific" => {
            let versions = choice["versions"].as_array().into_iter().flatten();
            let versions: Option<Vec<u32>> = versions.map(number).collect();
            versions.map(VersionPolicy::Specific)
        }
        _ => None,
    };
    policy
        .filter(|_| choices.next().is_none())
        .ok_or_else(wrong)
}

fn max_batch_size(spec: &ModelSpec, value: &Value) -> Result<u32, String> {
    let size = number(value).and_then(|size| u32::try_from(size).ok());
    match size.filter(|size| (*size > 0) == spec.batching()) {
        Some(size) => Ok(size),
        None => Err("'max_batch_size' does not match the function".to_owned()),
    }
}

fn dynamic_batching(
    before: Option<&Batcher>,
    own: Option<&Value>,
    value: &Value,
) -> Result<Batcher, String> {
    let members = value.as_object();
    let members = members.ok_or_else(|| "'dynamic_batching' must be an object".to_owned())?;
    let wrong = |name: &str| format!("'dynamic_batching.{}' cannot be changed", excerpt(name));
    let mut batcher = Batcher::DYNAMIC;
    for (name, value) in members {
        match name.as_str() {
            "preferred_batch_size" => {
                let sizes = value.as_array().into_iter().flatten();
                let sizes = sizes.map(|size| u32::try_from(number(size)?).ok());
                let sizes: Option<Vec<u32>> = sizes.collect();
                batcher.preferred_batch_size = sizes.ok_or_else(|| wrong(name))?;
            }
            "max_queue_delay_microseconds" => {
                batcher.options.max_queue_delay_microseconds =
                    number(value).ok_or_else(|| wrong(name))?;
            }
            "preserve_ordering" => {
                batcher.options.preserve_ordering = value.as_bool().ok_or_else(|| wrong(name))?;
            }
            _ if is_empty(value) => {}
            // Levels and policies depend on each other: either all are kept or none.
            _ if own.is_some_and(|own| own.get(name) == Some(value)) => {
                if let Some(before) = before {
                    let (options, kept) = (&mut batcher.options, &before.options);
                    options.priority_levels = kept.priority_levels;
                    options.default_priority_level = kept.default_priority_level;
                    batcher.queue_policy = before.queue_policy;
                    batcher
                        .priority_queue_policy
                        .clone_from(&before.priority_queue_policy);
                }
            }
            _ => return Err(wrong(name)),
        }
    }
    Ok(batcher)
}

fn set_parameters(spec: &mut ModelSpec, value: &Value) -> Result<(), String> {
    for (name, value) in value.as_object().into_iter().flatten() {
        let text = value["string_value"].as_str();
        let text =
            text.ok_or_else(|| format!("parameter '{}' has no string value", excerpt(name)))?;
        spec.parameters.push((name.as_str().into(), text.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pytriton_core::registry::{ModelDeclaration, ModelOptions, SequenceScheduling};

    use crate::testing::IDENTITY;
    use crate::testing::heap::peak;

    use super::*;

    fn with(config: &str) -> Result<Registration, String> {
        overridden(IDENTITY.registration().unwrap(), config, None)
    }

    #[test]
    fn loading_the_current_configuration_changes_nothing() {
        let model = IDENTITY.registration().unwrap();
        let own = configuration(&model.spec, BACKEND, None).json();
        let config = String::from_utf8(own.clone()).unwrap();
        let changed = with(&config).unwrap();
        let again = configuration(&changed.spec, BACKEND, None).json();
        assert_eq!(String::from_utf8(again), String::from_utf8(own));
    }

    #[test]
    fn changeable_options_are_changed() {
        let spec = with(
            r#"{"name":"Identity","max_batch_size":"4","instance_group":[{"count":2,"kind":"KIND_CPU"},{"count":1}],
                "dynamic_batching":{"preferred_batch_size":[2,4],"max_queue_delay_microseconds":"100"},
                "parameters":{"k":{"string_value":"v"}}}"#,
        );
        let spec = spec.unwrap().spec;
        assert_eq!((spec.max_batch_size, spec.instances.count()), (4, 3));
        let batching = spec.dynamic_batching().unwrap();
        assert_eq!(batching.preferred_batch_size, [2, 4]);
        assert_eq!(batching.options.max_queue_delay_microseconds, 100);
        assert_eq!(spec.parameter("k"), Some("v"));
        assert_eq!(spec.version_policy, None);
        let policies = [
            (r#"{"latest":{"num_versions":2}}"#, VersionPolicy::Latest(2)),
            (r#"{"all":{}}"#, VersionPolicy::All),
            (
                r#"{"specific":{"versions":[1,"3"]}}"#,
                VersionPolicy::Specific(vec![1, 3]),
            ),
        ];
        for (json, policy) in policies {
            let spec = with(&format!(r#"{{"version_policy":{json}}}"#))
                .unwrap()
                .spec;
            assert_eq!(spec.version_policy, Some(policy));
        }
        let spec = with("{}").unwrap().spec;
        assert_eq!(spec.instances.count(), 1);
        assert!(spec.batcher.is_none() && !spec.call_options.response_cache);
    }

    #[test]
    fn compiled_options_may_be_repeated_without_defaults() {
        let model = ModelDeclaration {
            options: ModelOptions {
                sequence_batching: Some(SequenceScheduling::Direct),
                max_sequence_idle_microseconds: 10_000_000,
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let with = |config: &str| overridden(model.registration().unwrap(), config, None);
        let sequences =
            r#""sequence_batching":{"direct":{},"max_sequence_idle_microseconds":"10000000"}"#;
        let input = |dims: &str| {
            format!(
                r#"{{{sequences},"input":[{{"name":"INPUT_1","data_type":"TYPE_FP32","dims":{dims}}}]}}"#
            )
        };
        for dims in ["[-1]", r#"["-1"]"#] {
            with(&input(dims)).unwrap();
        }
        for (config, field) in [
            (input("[2]"), "input"),
            (input("[]"), "input"),
            (input("[-1,-1]"), "input"),
            (format!(r#"{{{sequences},"input":[]}}"#), "input"),
            (
                r#"{"sequence_batching":{"oldest":{}}}"#.to_owned(),
                "sequence_batching",
            ),
        ] {
            let error = with(&config).unwrap_err();
            assert_eq!(
                error,
                format!("'{field}' is part of the binary and cannot be changed")
            );
        }
        let one = with(&format!(
            r#"{{{sequences},"instance_group":{{"count":5}}}}"#
        ));
        assert_eq!(one.unwrap().spec.instances.count(), 5);
    }

    #[test]
    fn compiled_options_cannot_be_changed() {
        let table = [
            ("{", "Invalid config override: EOF"),
            (
                r#"{"bogus":1}"#,
                "Invalid config override: bogus: Cannot find field.",
            ),
            (
                r#"{"name":"Other"}"#,
                "unexpected directory name 'Identity' for model 'Other'",
            ),
            (
                r#"{"version_policy":{"newest":{}}}"#,
                "'version_policy' with this choice",
            ),
            (
                r#"{"version_policy":{"specific":{"versions":[-1]}}}"#,
                "'version_policy' with this choice",
            ),
            (r#"{"input":[]}"#, "'input' is part of the binary"),
            (
                r#"{"ensemble_scheduling":{}}"#,
                "'ensemble_scheduling' is part",
            ),
            (r#"{"backend":"python"}"#, "'backend' is part of the binary"),
            (r#"{"max_batch_size":0}"#, "'max_batch_size' does not match"),
            (
                r#"{"response_cache":{"enable":true}}"#,
                "'response_cache' of the model is part",
            ),
            (
                r#"{"instance_group":[{"kind":"KIND_MODEL"}]}"#,
                "'instance_group' with that kind",
            ),
            (r#"{"instance_group":[{"count":-1}]}"#, "this count"),
            (
                r#"{"instance_group":[{"count":1025}]}"#,
                "this many instances",
            ),
            (
                r#"{"instance_group":[{"count":1000},{"count":25}]}"#,
                "this many instances",
            ),
            (
                r#"{"instance_group":[{"count":600,"kind":"KIND_GPU","gpus":[0,1]}]}"#,
                "this many instances",
            ),
            (
                r#"{"instance_group":[{"rate_limiter":{"priority":2}}]}"#,
                "'instance_group' with 'rate_limiter'",
            ),
            (
                r#"{"dynamic_batching":{"priority_levels":"3"}}"#,
                "'dynamic_batching.priority_levels'",
            ),
            (
                r#"{"max_batch_size":2,"dynamic_batching":{"preferred_batch_size":[4]}}"#,
                "must be <= max batch size",
            ),
        ];
        for (config, expected) in table {
            let error = with(config).unwrap_err();
            assert!(error.contains(expected), "{config}: {error}");
        }
    }

    #[test]
    fn a_configuration_has_a_maximum_number_of_items() {
        for (count, expected) in [
            (1 << 16, "'version_policy' with this choice"),
            (
                (1 << 16) + 1,
                "Invalid config override: more than 65536 items",
            ),
        ] {
            let versions = vec!["-1"; count].join(",");
            let error = with(&format!(
                r#"{{"version_policy":{{"specific":{{"versions":[{versions}]}}}}}}"#
            ));
            let error = error.unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn configurations_stay_within_their_reservation() {
        // The model and its own configuration.
        const OVERHEAD: usize = 64 << 10;
        const TEXT_BYTES: usize = 100 << 10;
        let nested = format!("{}0{},", "{\"\":".repeat(120), "}".repeat(120));
        let values = ["0,", "{},", "[0],", "\"\",", "1.5,", "{\"\":0},", &nested];
        for value in values {
            let list = value.repeat(TEXT_BYTES / value.len());
            let list = list.trim_end_matches(',');
            for text in [format!("[{list}]"), format!("{{\"name\":[{list}]}}")] {
                let (changed, peak) = peak(|| with(&text));
                changed.unwrap_err();
                let reserved = CONFIG_MEMORY * text.len();
                assert!(
                    peak <= reserved + OVERHEAD,
                    "{peak} of {reserved} for {value}"
                );
            }
        }
        let parameters =
            (0..TEXT_BYTES / 32).map(|number| format!("\"{number:x}\":{{\"string_value\":\"a\"}}"));
        let parameters: Vec<_> = parameters.collect();
        let text = format!("{{\"parameters\":{{{}}}}}", parameters.join(","));
        let (changed, peak) = peak(|| with(&text));
        assert_eq!(changed.unwrap().spec.parameters.len(), TEXT_BYTES / 32);
        assert!(
            peak <= CONFIG_MEMORY * text.len(),
            "{peak} of {}",
            text.len()
        );
    }
}
