use crate::call::{Loader, Loading};
use crate::decorators::Step;
use crate::model::{Location, OutputOverride, TensorDeclaration, Warmup};

use super::specify::DeclaredInputs;
use super::{ModelDeclaration, ModelOptions, Registration, RegistryError, Signature};

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
    /// The model's location in the user's source code.
    pub location: Location,
}

inventory::collect!(FunctionDeclaration);

impl FunctionDeclaration {
    /// Creates the registered model and its loader.
    ///
    /// # Errors
    ///
    /// See [`ModelDeclaration::registration`].
    pub fn registration(&self) -> Result<Registration, RegistryError> {
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
        };
        declaration.of(inputs, Loader::from(self.load))
    }
}
