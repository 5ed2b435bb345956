use std::fmt;

use crate::model::{ModelSpec, TensorDeclaration};
use crate::tensor::Tensor;

use super::{ModelError, Output, declaration, output};

/// What generated code knows of a field of a struct that derives `Outputs`.
///
/// Only [`output_field`] asks for an [`Output`], so that a wrong type is one compile error.
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
