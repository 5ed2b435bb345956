use std::collections::BTreeMap;
use std::sync::Arc;

use crate::call::{LoadedInstance, Loader};
use crate::decorators::{Step, StepError};
use crate::model::{CallMode, FirstValue, Location, ModelSpec, TensorDeclaration, TensorSpec};

use super::outputs::overridden;
use super::{ModelDeclaration, ModelOptions, Registration, RegistryError};

/// The inputs that a model declares.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclaredInputs<'a> {
    pub(super) tensors: &'a [TensorDeclaration],
    pub(super) first_values: &'a [FirstValue],
    /// The inputs whose elements must be valid UTF-8.
    pub(super) utf8: &'a [usize],
    /// The inputs whose rows may have different lengths.
    pub(super) ragged: &'a [usize],
}

impl ModelDeclaration {
    /// Creates the registered model and its loader.
    ///
    /// # Errors
    ///
    /// See [`spec`](Self::spec). Also [`RegistryError::Step`] for a step that does not fit the
    /// model.
    pub fn registration(&self) -> Result<Registration, RegistryError> {
        let load = self.load;
        let load: Loader = Arc::new(move |context| load(context).map(LoadedInstance::Local));
        self.of(&self.options, self.own_inputs(), load)
    }

    /// Like `registration`, with other options and inputs and another loader.
    pub(super) fn of(
        &self,
        options: &ModelOptions<'_>,
        inputs: DeclaredInputs<'_>,
        load: Loader,
    ) -> Result<Registration, RegistryError> {
        let spec = self.spec_of(options, inputs)?;
        let steps = self.steps.iter();
        let flaws = steps.filter_map(|step| step.check(&spec).err());
        let flaws = flaws.map(|error| RegistryError::Step {
            model: Arc::clone(&spec.name),
            location: self.location,
            source: StepError::of(error),
        });
        RegistryError::all(flaws.collect())?;
        let steps = self.steps.iter();
        let steps = steps.map(|&step| Arc::new(step) as Arc<dyn Step>);
        Ok(Registration {
            spec: Arc::new(spec),
            load,
            steps: steps.collect(),
            models: None,
            states: Arc::default(),
        })
    }

    /// The model with defaults applied and all rules checked.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Rank`] if a tensor's shape does not match its rank,
    /// [`RegistryError::OutputCount`] if the number of `#[output]` attributes differs from the
    /// number of outputs, [`RegistryError::DuplicateTensor`] for a duplicate name, and
    /// [`RegistryError::Several`] for several of these.
    pub fn spec(&self) -> Result<ModelSpec, RegistryError> {
        self.spec_of(&self.options, self.own_inputs())
    }

    const fn own_inputs(&self) -> DeclaredInputs<'static> {
        DeclaredInputs {
            tensors: self.inputs,
            first_values: self.first_values,
            utf8: self.utf8_inputs,
            ragged: self.ragged_inputs,
        }
    }

    fn spec_of(
        &self,
        options: &ModelOptions<'_>,
        inputs: DeclaredInputs<'_>,
    ) -> Result<ModelSpec, RegistryError> {
        let mut errors = Vec::new();
        let overrides = self.output_overrides;
        if !overrides.is_empty() && overrides.len() != self.outputs.len() {
            errors.push(RegistryError::OutputCount {
                model: self.options.name.into(),
                location: self.location,
                expected: self.outputs.len(),
                got: overrides.len(),
            });
        }
        let outputs = self.outputs.iter().enumerate();
        let outputs = outputs.map(|(index, output)| overridden(*output, overrides, index));
        let labels = outputs.clone().map(|output| output.labels).enumerate();
        let labels = labels.filter(|(_, labels)| !labels.is_empty());
        let spec = ModelSpec {
            inputs: tensors(self, inputs.tensors.iter().copied(), &mut errors),
            outputs: tensors(self, outputs, &mut errors),
            labels: labels
                .map(|(output, labels)| (output, labels.into()))
                .collect(),
            call: self.call,
            decoupled: self.decoupled,
            cancellable: self.cancellable,
            takes_parameters: self.takes_parameters,
            by_parameters: self.by_parameters,
            takes_identity: self.takes_identity,
            first_values: inputs.first_values.to_vec(),
            cost_input: options
                .cost
                .and_then(|name| inputs.tensors.iter().position(|input| input.name == name)),
            utf8_inputs: inputs.utf8.to_vec(),
            ragged_inputs: inputs.ragged.to_vec(),
            warmups: self.warmups.to_vec(),
            ..ModelSpec::new(options, self.location)
        };
        RegistryError::all(errors)?;
        Ok(spec)
    }
}

impl ModelSpec {
    /// A model with these options; tensors and the properties of the function must be added.
    pub(crate) fn new(options: &ModelOptions<'_>, location: Location) -> Self {
        let parameters = options.parameters.iter();
        Self {
            name: options.name.into(),
            description: options.description.into(),
            version: options.version,
            version_policy: options.version_policy.map(Into::into),
            max_batch_size: options.rows(),
            instances: options.instances.into(),
            call_options: options.call_options,
            inputs: Vec::new(),
            outputs: Vec::new(),
            labels: BTreeMap::new(),
            batcher: options.batcher(),
            parameters: parameters
                .map(|&(name, value)| (name.into(), value.into()))
                .collect(),
            call: CallMode::Request,
            decoupled: false,
            openai: options.openai,
            cancellable: false,
            takes_parameters: false,
            by_parameters: false,
            takes_identity: false,
            first_values: Vec::new(),
            cost_input: None,
            utf8_inputs: Vec::new(),
            ragged_inputs: Vec::new(),
            decoded_inputs: Vec::new(),
            validates_first: false,
            warmups: Vec::new(),
            callees: Vec::new(),
            shared_states: Vec::new(),
            location,
        }
    }
}

/// The tensors, in order; adds errors to `errors`.
fn tensors(
    model: &ModelDeclaration,
    declarations: impl Iterator<Item = TensorDeclaration>,
    errors: &mut Vec<RegistryError>,
) -> Vec<TensorSpec> {
    let batching = model.options.rows() > 0;
    let mut specs: Vec<TensorSpec> = Vec::new();
    for declaration in declarations {
        let name: Arc<str> = declaration.name.into();
        if specs.iter().any(|spec| spec.name == name) {
            errors.push(RegistryError::DuplicateTensor {
                model: model.options.name.into(),
                location: model.location,
                tensor: Arc::clone(&name),
            });
        }
        let flaw = declaration.flaw(batching);
        if let Some(help) = flaw.or(declaration.shape_flaw(batching)) {
            errors.push(RegistryError::Rank {
                model: model.options.name.into(),
                location: model.location,
                tensor: Arc::clone(&name),
                rank: declaration.rank,
                shape: declaration.shape.map(<[i64]>::to_vec),
                help,
            });
        }
        specs.push(TensorSpec {
            name,
            datatype: declaration.datatype,
            dims: dims(&declaration, batching),
            optional: declaration.optional,
            description: declaration.description.into(),
            example: declaration
                .example
                .iter()
                .map(|&text| text.into())
                .collect(),
        });
    }
    specs
}

/// The dimensions of a tensor without the batch axis.
pub(super) fn dims(tensor: &TensorDeclaration, batching: bool) -> Vec<i64> {
    let rank = tensor.rank.unwrap_or_default();
    match tensor.shape {
        Some(shape) => shape.to_vec(),
        None => vec![-1; rank.saturating_sub(usize::from(batching))],
    }
}
