use std::fmt;

use pytriton_protocol::typed::Tensors;

use crate::model::TensorDeclaration;
use crate::tensor::TensorError;

use super::{Output, OutputWriter, declaration};

/// A field of a struct that derives `Outputs`, as seen by generated code.
///
/// Only [`output_field`] requires an [`Output`], so that a wrong type is one compile error.
pub struct OutputField<T> {
    declaration: TensorDeclaration,
    write: fn(T, &mut OutputWriter<'_>),
    read: fn(&mut Tensors<'_>) -> Result<T, TensorError>,
}

/// Creates the field for the output with this name.
pub const fn output_field<T: Output>(name: &'static str) -> OutputField<T> {
    OutputField {
        declaration: declaration::<T>(name),
        write: |output, writer| writer.write(output),
        read: |tensors| tensors.take(),
    }
}

impl<T> OutputField<T> {
    /// Returns what is wrong with the shape. It may have one dimension less than the array, because
    /// axis 0 may be the batch.
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

    /// Returns what is wrong with its labels.
    pub const fn labels_flaw(
        &self,
        shape: Option<&'static [i64]>,
        labels: &'static str,
    ) -> Option<&'static str> {
        self.declaration(shape).labelled(labels).labels_flaw()
    }

    /// Returns the declaration of the output.
    pub const fn declaration(&self, shape: Option<&'static [i64]>) -> TensorDeclaration {
        let shape = match shape {
            // The macro refuses this shape separately.
            Some(shape) if self.shape_flaw(shape).is_some() => None,
            shape => shape,
        };
        TensorDeclaration {
            shape,
            ..self.declaration
        }
    }

    /// Converts the field as the next output.
    pub fn write(&self, field: T, writer: &mut OutputWriter<'_>) {
        (self.write)(field, writer);
    }

    /// Reads the field from a response, for clients.
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
