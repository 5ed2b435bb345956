use std::fmt;

use pytriton_protocol::typed::Tensors;

use crate::model::{ModelSpec, TensorDeclaration};
use crate::tensor::{Tensor, TensorError};

use super::{ModelError, Output, declaration, output};

/// What generated code knows of a field of a struct that derives `Outputs`.
///
/// Only [`output_field`] asks for an [`Output`], so that a wrong type is one compile error.
pub struct OutputField<T> {
    declaration: TensorDeclaration,
    convert: fn(T, &ModelSpec, usize) -> Result<Tensor, ModelError>,
    read: fn(&mut Tensors<'_>) -> Result<T, TensorError>,
}

/// A field of this type that is the output of that name.
pub const fn output_field<T: Output>(name: &'static str) -> OutputField<T> {
    OutputField {
        declaration: declaration::<T>(name),
        convert: output::<T>,
        read: |tensors| tensors.take(),
    }
}

impl<T> OutputField<T> {
    /// What is wrong with its shape in any model: one dimension less than the array has may be said, as axis 0 may be the
    /// batch.
    pub const fn shape_flaw(&self, shape: &'static [i64]) -> Option<&'static str> {
        let field = TensorDeclaration {
            shape: Some(shape),
            ..self.declaration
        };
        match field.shape_flaw(true) {
            Some(flaw) if field.shape_flaw(false).is_some() => Some(flaw),
            _ => None,
        }
    }

    /// The output that the field declares.
    pub const fn declaration(&self, shape: Option<&'static [i64]>) -> TensorDeclaration {
        let shape = match shape {
            // It is refused where it stands.
            Some(shape) if self.shape_flaw(shape).is_some() => None,
            shape => shape,
        };
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

    /// What a caller finds for the field in an answer.
    ///
    /// # Errors
    ///
    /// As [`Tensors::take`].
    pub fn read(&self, tensors: &mut Tensors<'_>) -> Result<T, TensorError> {
        (self.read)(tensors)
    }
}

impl<T> fmt::Debug for OutputField<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutputField")
            .field(&self.declaration)
            .finish()
    }
}
