use crate::call::{Loader, Loading};
use crate::decorators::Step;
use crate::model::{Location, OutputOverride, TensorDeclaration, Warmup};

use super::{ModelDeclaration, ModelOptions, Registration, RegistryError, Signature};

/// A function as `#[pytriton::model]` writes it down: const, so that `inventory` can collect it. What can be said of it at
/// start is not computed by the compiler.
#[derive(Debug)]
pub struct FunctionDeclaration {
    /// The options of the model.
    pub options: &'static ModelOptions<'static>,
    /// The parameters of the function.
    pub signature: &'static Signature,
    /// The outputs, as the function's return type declares them.
    pub outputs: &'static [TensorDeclaration],
    /// Names and dims that `#[output]` gives to the outputs, in their order; empty for none.
    pub output_overrides: &'static [OutputOverride],
    /// The steps around the function, in their order.
    pub steps: &'static [&'static dyn Step],
    /// What each instance is called with before it takes requests, in this order.
    pub warmups: &'static [Warmup],
    /// Makes the function, or the state it is called on, once for each instance.
    pub load: Loading,
    /// Where the model stands in the user's source.
    pub location: Location,
}

inventory::collect!(FunctionDeclaration);

impl FunctionDeclaration {
    /// The model and what makes its instances.
    ///
    /// # Errors
    ///
    /// As [`ModelDeclaration::registration`].
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
        declaration.of(&inputs, &first_values, Loader::from(self.load))
    }
}
