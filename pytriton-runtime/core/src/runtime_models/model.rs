use std::panic;
use std::sync::Arc;

use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::typed::Model as CallableModel;

use crate::decorators::{Step, StepError};
use crate::model::{FirstValue, Location, ModelSpec, SequenceScheduling, Warmup};
use crate::registry::{ModelOptions, OptionOverride, OwnedOptions, Registration, warmup_flaws};

use super::check::check;
use super::{Flaw, Function, Input, ModelFlaws, Output};

/// The description of a model: its name, tensors and options, which are those of
/// `#[pytriton::model]`.
///
/// # Examples
///
/// ```
/// use pytriton_core::runtime_models::{Input, Model, Output};
///
/// let linear = Model::new("Linear")
///     .max_batch_size(16)
///     .input(Input::new::<f32>("x", [20]))
///     .input(Input::new::<f32>("scale", [1]).first_value())
///     .output(Output::new::<f32>("y", [30]));
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) options: OwnedOptions,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) by_parameters: bool,
    pub(super) by_identity: bool,
    pub(super) cancellable: bool,
    callees: Vec<ModelSignature>,
    pub(super) steps: Vec<Arc<dyn Step>>,
    pub(super) warmups: Vec<Warmup>,
    location: Location,
}

impl Model {
    /// Creates a model with default options.
    #[track_caller]
    pub fn new(name: impl AsRef<str>) -> Self {
        let caller = panic::Location::caller();
        Self {
            options: OwnedOptions::new(name.as_ref().into()),
            inputs: Vec::new(),
            outputs: Vec::new(),
            by_parameters: false,
            by_identity: false,
            cancellable: false,
            callees: Vec::new(),
            steps: Vec::new(),
            warmups: Vec::new(),
            location: Location {
                package: "",
                file: caller.file(),
                line: caller.line(),
            },
        }
    }

    /// Adds an input.
    pub fn input(mut self, input: Input) -> Self {
        self.inputs.push(input);
        self
    }

    /// Adds an output.
    pub fn output(mut self, output: Output) -> Self {
        self.outputs.push(output);
        self
    }

    /// Separates requests with different parameters, so that the function can read the parameters
    /// with [`FunctionCall::parameters`](super::FunctionCall::parameters).
    pub fn by_parameters(self) -> Self {
        Self {
            by_parameters: true,
            ..self
        }
    }

    /// Separates requests of different clients, so that the function can read the client with
    /// [`FunctionCall::identity`](super::FunctionCall::identity). Needs the embedded engine.
    pub fn by_identity(self) -> Self {
        Self {
            by_identity: true,
            ..self
        }
    }

    /// Lets the function check whether the clients of a call still wait, with
    /// [`FunctionCall::cancellation`](super::FunctionCall::cancellation).
    pub fn cancellable(self) -> Self {
        Self {
            cancellable: true,
            ..self
        }
    }

    /// Allows the function to call another model with
    /// [`FunctionCall::callee`](super::FunctionCall::callee).
    pub fn calls<M: CallableModel>(mut self) -> Self {
        let signature = M::signature();
        if !self.callees.contains(&signature) {
            self.callees.push(signature);
        }
        self
    }

    /// Adds a step around the function, inside the earlier ones. A step is one of the crate, such
    /// as [`FillOptional`](crate::decorators::FillOptional), or your own.
    pub fn step(mut self, step: impl Step + 'static) -> Self {
        self.steps.push(Arc::new(step));
        self
    }

    /// Adds a warm-up call that each instance makes before it accepts requests, after the earlier
    /// ones. If it fails, the model is not served.
    pub fn warmup(mut self, warmup: Warmup) -> Self {
        self.warmups.push(warmup);
        self
    }

    /// Replaces the options that overrides of this model name.
    ///
    /// # Errors
    ///
    /// Returns [`ModelFlaws`] for an unknown option, or a value that does not have its form.
    pub fn overridden(mut self, overrides: &[OptionOverride]) -> Result<Self, ModelFlaws> {
        match self.options.apply(overrides) {
            Ok(_) => Ok(self),
            Err(flaws) => Err(ModelFlaws {
                model: self.options.name,
                location: self.location,
                flaws,
            }),
        }
    }

    /// Combines the model with its function, applies defaults and checks all rules.
    ///
    /// # Errors
    ///
    /// Returns [`ModelFlaws`] with every mistake.
    pub fn registration(mut self, function: &Function) -> Result<Registration, ModelFlaws> {
        let sequences = &mut self.options.plain.sequence_batching;
        if function.sequences && sequences.is_none() {
            *sequences = Some(SequenceScheduling::Direct);
        }
        let mut flaws = check(&self, function);
        let spec = self.spec(function);
        let steps = self.steps.iter();
        let steps = steps.filter_map(|step| step.check(&spec).err());
        flaws.extend(steps.map(|error| Flaw::Step(StepError::of(error))));
        flaws.extend(spec.inline_call_flaw());
        flaws.extend(
            self.warmups
                .iter()
                .flat_map(|of| self.warmup_flaws(&spec, of)),
        );
        if !flaws.is_empty() {
            return Err(ModelFlaws {
                model: self.options.name,
                location: self.location,
                flaws,
            });
        }
        Ok(Registration {
            spec: Arc::new(spec),
            load: function.loader(),
            steps: self.steps.into(),
            models: None,
            states: Arc::default(),
        })
    }

    /// Returns the input that [`cost`](Self::cost) names, if it exists.
    pub(super) fn cost_input(&self) -> Option<usize> {
        let name = self.options.cost.as_ref()?;
        self.inputs.iter().position(|of| of.spec.name == *name)
    }

    fn warmup_flaws(&self, spec: &ModelSpec, warmup: &Warmup) -> Vec<Flaw> {
        let options = ["batch_size", "count"].into_iter().filter_map(|option| {
            let help = self.options.borrowed().warmup_flaw(warmup, option)?;
            Some(format!("`{option}`: {help}"))
        });
        let flaws = options.chain(warmup_flaws(spec, warmup));
        let flaws = flaws.map(|help| Flaw::Warmup {
            warmup: warmup.name.as_ref().into(),
            help,
        });
        flaws.collect()
    }

    fn spec(&self, function: &Function) -> ModelSpec {
        let functions = u32::try_from(function.loaders.len()).unwrap_or(u32::MAX);
        let inputs = self.inputs.iter().enumerate();
        let first_values = inputs.filter_map(|(input, of)| {
            let strict = of.first_value?;
            Some(FirstValue { input, strict })
        });
        let texts = self.inputs.iter().enumerate();
        let texts = texts.filter(|(_, of)| of.utf8).map(|(input, _)| input);
        let ragged = self.inputs.iter().enumerate();
        let ragged = ragged.filter(|(_, of)| of.ragged).map(|(input, _)| input);
        let decoded = self.inputs.iter().enumerate();
        let decoded = decoded.filter_map(|(input, of)| Some((input, of.check?)));
        let labels = self.outputs.iter().map(|output| &output.labels).enumerate();
        let labels = labels.filter(|(_, labels)| !labels.is_empty());
        let labels = labels.map(|(index, labels)| (index, Arc::clone(labels)));
        let instances = match self.is_set("instances") {
            true => self.options.instances.clone(),
            false => functions.into(),
        };
        let parameters = self.options.parameters.iter();
        let parameters: Vec<(&str, &str)> = parameters
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let options = ModelOptions {
            instances: instances.groups(),
            parameters: &parameters,
            ..self.options.borrowed()
        };
        ModelSpec {
            inputs: self.inputs.iter().map(|of| of.spec.clone()).collect(),
            outputs: self.outputs.iter().map(|of| of.spec.clone()).collect(),
            labels: labels.collect(),
            call: function.call,
            decoupled: function.decoupled,
            takes_parameters: true,
            cancellable: self.cancellable || !self.callees.is_empty(),
            callees: self.callees.clone(),
            by_parameters: self.by_parameters,
            takes_identity: self.by_identity,
            first_values: first_values.collect(),
            cost_input: self.cost_input(),
            utf8_inputs: texts.collect(),
            ragged_inputs: ragged.collect(),
            decoded_inputs: decoded.collect(),
            // The function reads the inputs itself.
            validates_first: true,
            warmups: self.warmups.clone(),
            ..ModelSpec::new(&options, self.location)
        }
    }
}
