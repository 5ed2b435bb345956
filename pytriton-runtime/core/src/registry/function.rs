use std::sync::Arc;

use pytriton_protocol::signature::ModelSignature;

use crate::call::{Loader, Loading};
use crate::decorators::Step;
use crate::model::{Declared, Location, OutputOverride, TensorDeclaration, Warmup};
use crate::shared_state::RequiredState;

use super::specify::DeclaredInputs;
use super::{
    Flaw, ModelDeclaration, ModelFlaws, ModelOptions, OptionOverride, OwnedOptions, Registration,
    RegistryError, Signature,
};

/// A function as declared by `#[pytriton::model]`. It is a constant, so that `inventory` can
/// collect it; as much as possible is computed at start instead of by the compiler.
#[derive(Debug)]
pub struct FunctionDeclaration {
    /// The options of the model.
    pub options: &'static ModelOptions<'static>,
    /// The parameters of the function.
    pub signature: &'static Signature,
    /// The outputs, as declared by the return type.
    pub outputs: &'static [TensorDeclaration],
    /// The `#[output]` attributes, in order; may be empty.
    pub output_overrides: &'static [OutputOverride],
    /// The steps around the function, in order.
    pub steps: &'static [&'static dyn Step],
    /// The warm-up calls of each instance, in order.
    pub warmups: &'static [Warmup],
    /// Creates the function, or its state, once for each instance.
    pub load: Loading,
    /// The parameters of `#[load]`.
    pub load_parameters: &'static [Declared],
    /// The model's location in the user's source code.
    pub location: Location,
}

inventory::collect!(FunctionDeclaration);

/// Returns a custom step as generated code stores it. The compiler reports a wrong type at
/// the argument.
pub const fn step<S: Step>(step: &S) -> &S {
    step
}

impl FunctionDeclaration {
    /// Creates the registered model and its loader.
    ///
    /// # Errors
    ///
    /// See [`ModelDeclaration::registration`]. Also [`RegistryError::Options`] for an
    /// override that violates a rule, and if the number of instances that an expression returns is
    /// out of range.
    pub fn registration(
        &self,
        overrides: &[OptionOverride],
    ) -> Result<Registration, RegistryError> {
        let options = self.options(overrides).map_err(|flaws| ModelFlaws {
            model: self.options.name.into(),
            location: self.location,
            flaws,
        })?;
        let declaration = ModelDeclaration {
            outputs: self.outputs,
            output_overrides: self.output_overrides,
            steps: self.steps,
            warmups: self.warmups,
            location: self.location,
            ..ModelDeclaration::new(self.options, self.signature)
        };
        let (inputs, first_values) = (self.signature.inputs(), self.signature.first_values());
        let inputs = DeclaredInputs {
            tensors: &inputs,
            first_values: &first_values,
            utf8: &self.signature.utf8_inputs(),
            ragged: &self.signature.ragged_inputs(),
        };
        let load = Loader::from(self.load);
        let mut registration = declaration.of(&options.borrowed(), inputs, load)?;
        let spec = Arc::make_mut(&mut registration.spec);
        spec.callees = self.callees();
        spec.shared_states = self.shared_states();
        spec.decoded_inputs = self.signature.decoded_inputs();
        // The function may be called with some groups of rows before the others are read.
        spec.validates_first = !self.steps.is_empty();
        match spec.inline_call_flaw() {
            Some(flaw) => Err(ModelFlaws {
                model: Arc::clone(&spec.name),
                location: self.location,
                flaws: vec![flaw],
            }
            .into()),
            None => Ok(registration),
        }
    }

    /// Returns the models that the function and `#[load]` call.
    fn callees(&self) -> Vec<ModelSignature> {
        let mut callees: Vec<_> = self.parameters().filter_map(callee).collect();
        callees.sort_by(|one, other| one.name.cmp(&other.name));
        callees.dedup();
        callees
    }

    /// Returns the states that the function and `#[load]` take.
    fn shared_states(&self) -> Vec<RequiredState> {
        self.parameters().filter_map(required_state).collect()
    }

    /// Returns the parameters of the function, with their names, and those of `#[load]`.
    fn parameters(&self) -> impl Iterator<Item = (Option<&'static str>, Declared)> {
        let arguments = self.signature.arguments.iter();
        let arguments = arguments.map(|argument| (argument.name, argument.declared));
        let loaded = self.load_parameters.iter();
        arguments.chain(loaded.map(|declared| (None, *declared)))
    }

    /// Returns the options with all values that are known at start.
    fn options(&self, overrides: &[OptionOverride]) -> Result<OwnedOptions, Vec<Flaw>> {
        let mut options = OwnedOptions::from(self.options);
        if overrides
            .iter()
            .any(|of| of.replaces(self.options.name, "instances"))
        {
            options.plain.instance_count = None;
        }
        options.evaluate_instances().map_err(|flaw| vec![flaw])?;
        // Without overrides, the compiler has checked the other options.
        if options.apply(overrides)? {
            let mut flaws = options.flaws();
            flaws.extend(self.signature.option_flaws(&options));
            flaws.extend(options.warmup_flaws(self.warmups));
            if !flaws.is_empty() {
                return Err(flaws);
            }
        }
        Ok(options)
    }
}

fn callee((_, declared): (Option<&str>, Declared)) -> Option<ModelSignature> {
    match declared {
        Declared::Call { signature } => Some(signature()),
        _ => None,
    }
}

fn required_state(
    (parameter, declared): (Option<&'static str>, Declared),
) -> Option<RequiredState> {
    match declared {
        Declared::Shared { ty } => Some(RequiredState {
            ty: ty(),
            parameter,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::LoadedInstance;
    use crate::testing::IDENTITY;

    fn with(
        options: &'static ModelOptions<'static>,
        overrides: &[&str],
    ) -> Result<Registration, RegistryError> {
        static SIGNATURE: Signature = Signature {
            arguments: &[],
            batch: true,
            decorated: false,
            decoupled: false,
            declared: &[],
        };
        let function = FunctionDeclaration {
            options,
            signature: &SIGNATURE,
            outputs: IDENTITY.outputs,
            output_overrides: &[],
            steps: &[],
            warmups: &[],
            load: Loading::Stated(|context| (IDENTITY.load)(context).map(LoadedInstance::Local)),
            load_parameters: &[],
            location: IDENTITY.location,
        };
        let overrides = overrides.iter().map(|of| of.parse().unwrap());
        function.registration(&overrides.collect::<Vec<_>>())
    }

    #[test]
    fn number_of_instances_is_evaluated_at_start() {
        static FIVE: ModelOptions<'static> = ModelOptions {
            instance_count: Some(|| 5),
            ..IDENTITY.options
        };
        static NONE: ModelOptions<'static> = ModelOptions {
            instance_count: Some(|| 0),
            batching: false,
            ..IDENTITY.options
        };
        static TOO_MANY: ModelOptions<'static> = ModelOptions {
            instance_count: Some(|| 3_000_000_000),
            batching: false,
            ..IDENTITY.options
        };
        assert_eq!(with(&FIVE, &[]).unwrap().spec.instances, 5.into());
        for (options, count) in [(&NONE, "0"), (&TOO_MANY, "3000000000")] {
            let other = ["Other.instances=2", "Identity.description=x"];
            let text = with(options, &other).unwrap_err().to_string();
            let expected = format!(
                "the expression for `instances` returned {count}: expected a number from 1 to 2147483647"
            );
            assert!(text.starts_with("model 'Identity' at "), "{text}");
            assert!(text.ends_with(&expected), "{text}");
            let replaced = with(options, &["Identity.instances=2"]).unwrap();
            assert_eq!(replaced.spec.instances, 2.into());
        }
    }
}
