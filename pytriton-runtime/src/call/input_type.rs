use std::fmt;

use ndarray::{CowArray, Dimension};

use crate::model::TensorDeclaration;
use crate::tensor::{DataType, Element};

use super::{Call, ModelError};

type Read<T, D> = for<'s, 'a> fn(&'s Call<'a>, usize) -> Result<CowArray<'s, T, D>, ModelError>;
type ReadOptional<T, D> =
    for<'s, 'a> fn(&'s Call<'a>, usize) -> Result<Option<CowArray<'s, T, D>>, ModelError>;

/// What generated code knows of an array parameter.
///
/// Only [`array_input`] asks for an [`Element`], so that a wrong element type is one compile error and not one for
/// each place where generated code reads the parameter.
pub struct ArrayInput<T: 'static, D: 'static> {
    datatype: DataType,
    read: Read<T, D>,
    read_optional: ReadOptional<T, D>,
}

/// An array parameter of this element type and dimension.
pub const fn array_input<T: Element, D: Dimension>() -> ArrayInput<T, D> {
    ArrayInput {
        datatype: T::DATATYPE,
        read: |call, input| call.array(input),
        read_optional: |call, input| call.optional_array(input),
    }
}

impl<T, D> ArrayInput<T, D> {
    /// The input that the parameter declares.
    pub const fn declaration(
        &self,
        name: &'static str,
        rank: Option<usize>,
        shape: Option<&'static [i64]>,
        optional: bool,
    ) -> TensorDeclaration {
        TensorDeclaration {
            name,
            datatype: self.datatype,
            rank,
            shape,
            optional,
        }
    }

    /// As [`Call::array`].
    ///
    /// # Errors
    ///
    /// As [`Call::array`].
    pub fn read<'s>(
        &self,
        call: &'s Call<'_>,
        input: usize,
    ) -> Result<CowArray<'s, T, D>, ModelError> {
        (self.read)(call, input)
    }

    /// As [`Call::optional_array`].
    ///
    /// # Errors
    ///
    /// As [`Call::optional_array`].
    pub fn read_optional<'s>(
        &self,
        call: &'s Call<'_>,
        input: usize,
    ) -> Result<Option<CowArray<'s, T, D>>, ModelError> {
        (self.read_optional)(call, input)
    }
}

impl<T, D> fmt::Debug for ArrayInput<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArrayInput({})", self.datatype)
    }
}

/// What generated code knows of a parameter that is one value; bounds as in [`ArrayInput`].
pub struct ScalarInput<T> {
    datatype: DataType,
    read: for<'s, 'a> fn(&'s Call<'a>, usize) -> Result<T, ModelError>,
    read_optional: for<'s, 'a> fn(&'s Call<'a>, usize) -> Result<Option<T>, ModelError>,
}

/// A scalar parameter of this element type.
pub const fn scalar_input<T: Element>() -> ScalarInput<T> {
    ScalarInput {
        datatype: T::DATATYPE,
        read: |call, input| call.scalar(input),
        read_optional: |call, input| call.optional_scalar(input),
    }
}

impl<T> ScalarInput<T> {
    /// The input that the parameter declares.
    pub const fn declaration(
        &self,
        name: &'static str,
        shape: &'static [i64],
        optional: bool,
    ) -> TensorDeclaration {
        TensorDeclaration {
            name,
            datatype: self.datatype,
            rank: None,
            shape: Some(shape),
            optional,
        }
    }

    /// As [`Call::scalar`].
    ///
    /// # Errors
    ///
    /// As [`Call::scalar`].
    pub fn read(&self, call: &Call<'_>, input: usize) -> Result<T, ModelError> {
        (self.read)(call, input)
    }

    /// As [`Call::optional_scalar`].
    ///
    /// # Errors
    ///
    /// As [`Call::optional_scalar`].
    pub fn read_optional(&self, call: &Call<'_>, input: usize) -> Result<Option<T>, ModelError> {
        (self.read_optional)(call, input)
    }
}

impl<T> fmt::Debug for ScalarInput<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScalarInput({})", self.datatype)
    }
}
