use std::fmt;

use crate::model::{ModelSpec, OutputOverride, TensorDeclaration};
use crate::tensor::Tensor;

use super::{Call, ModelError, Output, Outputs, Responses, Returned, declaration, output};

/// What generated code knows of a function's return type.
///
/// Only the functions that make it ask for [`Outputs`] or [`Responses`], so that a wrong type is one compile error.
pub struct ReturnType<R> {
    /// The outputs in order, under their default names.
    pub declarations: &'static [TensorDeclaration],
    convert: for<'s, 'a> fn(&'s Call<'a>, R) -> Result<Returned, ModelError>,
}

/// The return type of a function that answers a whole call.
pub const fn outputs<R: Outputs>() -> ReturnType<R> {
    ReturnType {
        declarations: R::DECLARATIONS,
        convert: |call, returned| call.outputs(returned),
    }
}

/// The return type of a raw function.
pub const fn responses<R: Responses>() -> ReturnType<R> {
    ReturnType {
        declarations: R::DECLARATIONS,
        convert: |call, returned| call.responses(returned),
    }
}

impl<R> ReturnType<R> {
    /// Refuses at compile time what the registry would refuse at start.
    ///
    /// # Panics
    ///
    /// In a constant, so that it is a compile error: when an output's dims do not fit the model, or when there are
    /// `#[output]` attributes, but not one for each output.
    #[track_caller]
    pub const fn check(&self, max_batch_size: u32, overrides: &[OutputOverride]) {
        let outputs = self.declarations;
        assert!(
            overrides.len() >= outputs.len() || overrides.is_empty(),
            "the function returns more outputs than it has `#[output]` attributes: write one for each, or none"
        );
        assert!(
            overrides.len() <= outputs.len(),
            "the function returns fewer outputs than it has `#[output]` attributes: remove the last"
        );
        let mut index = 0;
        while index < outputs.len() {
            let mut output = outputs[index];
            if index < overrides.len() && overrides[index].shape.is_some() {
                output.shape = overrides[index].shape;
            }
            let (fits, flaw) = match output.flaw(max_batch_size > 0) {
                Some(flaw) => (false, flaw),
                None => (true, ""),
            };
            assert!(fits, "{}", flaw);
            index += 1;
        }
    }

    /// Turns what came back into tensors.
    ///
    /// # Errors
    ///
    /// As [`Call::outputs`] and [`Call::responses`].
    pub fn convert(&self, call: &Call<'_>, returned: R) -> Result<Returned, ModelError> {
        (self.convert)(call, returned)
    }
}

impl<R> fmt::Debug for ReturnType<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReturnType")
            .field(&self.declarations)
            .finish()
    }
}

/// What generated code knows of a field of a struct that derives `Outputs`; bounds as in [`ReturnType`].
pub struct OutputField<T> {
    declaration: TensorDeclaration,
    convert: fn(T, &ModelSpec, usize) -> Result<Tensor, ModelError>,
}

/// A field of this type that is the output of that name.
pub const fn output_field<T: Output>(name: &'static str) -> OutputField<T> {
    OutputField {
        declaration: declaration::<T>(name),
        convert: output::<T>,
    }
}

impl<T> OutputField<T> {
    /// The output that the field declares.
    pub const fn declaration(&self, shape: Option<&'static [i64]>) -> TensorDeclaration {
        TensorDeclaration {
            shape,
            ..self.declaration
        }
    }

    /// As [`output`].
    ///
    /// # Errors
    ///
    /// As [`output`].
    pub fn convert(&self, field: T, model: &ModelSpec, index: usize) -> Result<Tensor, ModelError> {
        (self.convert)(field, model, index)
    }
}

impl<T> fmt::Debug for OutputField<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutputField")
            .field(&self.declaration)
            .finish()
    }
}
