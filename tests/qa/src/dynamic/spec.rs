//! A model as described by the table of `run.py`. The members have the names of the options.

use std::collections::BTreeMap;
use std::time::Duration;

use pytriton::config::{QueuePolicy, SequenceScheduling, TimeoutAction, VersionPolicy};
use pytriton::runtime_models::{Function, Input, Model, Output};
use pytriton::{DataType, Error};
use serde::Deserialize;

use super::{functions, sequences};

/// A name, a datatype and the dimensions without the batch axis.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TensorSpec {
    pub(crate) name: String,
    datatype: String,
    pub(crate) dims: Vec<i64>,
    #[serde(default)]
    optional: bool,
    labels: Option<String>,
}

impl TensorSpec {
    pub(crate) fn datatype(&self) -> Result<DataType, Error> {
        let datatype = self.datatype.parse();
        datatype.map_err(|_| format!("`{}` is not a datatype", self.datatype).into())
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    #[serde(default)]
    delay: bool,
    #[serde(default)]
    default_timeout_microseconds: u64,
    #[serde(default)]
    allow_timeout_override: bool,
    #[serde(default)]
    max_queue_size: u32,
}

impl Policy {
    fn action(&self) -> TimeoutAction {
        match self.delay {
            true => TimeoutAction::Delay,
            false => TimeoutAction::Reject,
        }
    }
}

/// A model and its function.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    name: String,
    function: String,
    #[serde(default = "first_version")]
    pub(crate) versions: Vec<u32>,
    /// The number of latest versions, or a list of versions.
    latest: Option<u32>,
    specific: Option<Vec<u32>>,
    /// 0 for a model without a batch axis.
    pub(crate) max_batch_size: u32,
    pub(crate) inputs: Vec<TensorSpec>,
    pub(crate) outputs: Vec<TensorSpec>,
    instances: Option<u32>,
    batches_in_flight: Option<u32>,
    dynamic_batching: Option<bool>,
    preferred_batch_size: Option<Vec<u32>>,
    max_queue_delay_microseconds: Option<u64>,
    preserve_ordering: Option<bool>,
    queue_policy: Option<Policy>,
    priority_levels: Option<u64>,
    default_priority_level: Option<u64>,
    #[serde(default)]
    priority_queue_policy: BTreeMap<u64, Policy>,
    sequence_batching: Option<String>,
    max_sequence_idle_microseconds: Option<u64>,
    minimum_slot_utilization: Option<f32>,
    max_candidate_sequences: Option<u32>,
    response_cache: Option<bool>,
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, String>,
}

fn first_version() -> Vec<u32> {
    vec![1]
}

impl Spec {
    /// Creates the model with one of its versions.
    pub(crate) fn model(&self, version: u32) -> Result<Model, Error> {
        let mut model = Model::new(self.name.as_str()).version(version);
        model = match self.max_batch_size {
            0 => model.batching(false),
            rows => model.max_batch_size(rows),
        };
        for input in &self.inputs {
            let spec = Input::of(input.datatype()?, input.name.as_str(), input.dims.clone());
            let spec = match self.function.as_str() {
                "ragged_identity" => spec.ragged(),
                _ => spec,
            };
            model = model.input(if input.optional {
                spec.optional()
            } else {
                spec
            });
        }
        for output in &self.outputs {
            let spec = Output::of(
                output.datatype()?,
                output.name.as_str(),
                output.dims.clone(),
            );
            let labels = output.labels.as_deref();
            model = model.output(labels.map_or(spec.clone(), |labels| spec.labels(labels)));
        }
        macro_rules! set {
            ($($option:ident),*) => {$(
                if let Some(value) = self.$option.clone() {
                    model = model.$option(value);
                }
            )*};
        }
        set!(
            instances,
            batches_in_flight,
            dynamic_batching,
            preferred_batch_size,
            preserve_ordering,
            priority_levels,
            default_priority_level,
            minimum_slot_utilization,
            max_candidate_sequences,
            response_cache
        );
        if let Some(delay) = self.max_queue_delay_microseconds {
            model = model.max_queue_delay(Duration::from_micros(delay));
        }
        if let Some(idle) = self.max_sequence_idle_microseconds {
            model = model.max_sequence_idle(Duration::from_micros(idle));
        }
        if let Some(policy) = &self.queue_policy {
            if policy.default_timeout_microseconds > 0 {
                model = model
                    .timeout_action(policy.action())
                    .default_timeout(Duration::from_micros(policy.default_timeout_microseconds))
                    .allow_timeout_override(policy.allow_timeout_override);
            }
            model = model.max_queue_size(policy.max_queue_size);
        }
        for (level, policy) in &self.priority_queue_policy {
            let mut own = QueuePolicy::DEFAULT;
            own.timeout_action = policy.action();
            own.default_timeout_microseconds = policy.default_timeout_microseconds;
            own.allow_timeout_override = policy.allow_timeout_override;
            own.max_queue_size = policy.max_queue_size;
            model = model.priority_queue_policy(*level, own);
        }
        if let Some(scheduling) = &self.sequence_batching {
            model = model.sequence_batching(match scheduling.as_str() {
                "direct" => SequenceScheduling::Direct,
                "oldest" => SequenceScheduling::Oldest,
                other => return Err(format!("`{other}` is no sequence batching").into()),
            });
        }
        for (name, value) in &self.parameters {
            model = model.parameter(name.as_str(), value.as_str());
        }
        Ok(match (self.latest, &self.specific) {
            (Some(count), _) => model.version_policy(VersionPolicy::Latest(count)),
            (None, Some(versions)) => {
                model.version_policy(VersionPolicy::Specific(versions.clone()))
            }
            (None, None) => model,
        })
    }

    /// Creates the function of the model.
    pub(crate) fn function(&self, version: u32) -> Result<Function, Error> {
        match self.function.as_str() {
            "add_sub" => functions::add_sub(self, version),
            "identity" => functions::identity(self),
            "ragged_identity" => functions::ragged_identity(self),
            "reshape" => functions::reshape(self),
            "repeat_once" => functions::repeat_once(self),
            "failing_load" => functions::failing_load(self),
            "sequence" => sequences::sequence(self),
            other => Err(format!("there is no function `{other}`").into()),
        }
    }

    /// Returns a number from the model's parameters, or 0 if it is missing.
    pub(crate) fn number(&self, parameter: &str) -> Result<u64, Error> {
        let value = self.parameters.get(parameter);
        Ok(value.map_or(Ok(0), |value| value.parse())?)
    }
}
