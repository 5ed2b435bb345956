//! What generated code calls. A type that cannot be there is one compile error, where a constant asks for its trait; the
//! rest of the generated code compiles with any type.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::model::TensorDeclaration;

use super::{Call, FirstValueParameter, ModelError, Outputs, Parameter, Responses, Returned};

/// Reads the argument of a parameter of this type.
pub struct Reader<P: ?Sized>(PhantomData<fn(&P)>);

/// The same under `#[first_value]`.
pub struct FirstValueReader<P: ?Sized>(PhantomData<fn(&P)>);

impl<P: ?Sized> Reader<P> {
    /// The reader.
    pub const NEW: Self = Self(PhantomData);
}

impl<P: ?Sized> FirstValueReader<P> {
    /// The reader.
    pub const NEW: Self = Self(PhantomData);
}

impl<P: ?Sized> fmt::Debug for Reader<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl<P: ?Sized> fmt::Debug for FirstValueReader<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FirstValueReader")
    }
}

/// What a reader does.
pub trait Read {
    /// What the argument is made of.
    type Held<'c>;

    /// As [`Parameter::read`].
    ///
    /// # Errors
    ///
    /// As [`Parameter::read`].
    fn read<'c>(&self, call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError>;
}

impl<P: Parameter> Read for Reader<P> {
    type Held<'c> = P::Held<'c>;

    fn read<'c>(&self, call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        P::read(call, input)
    }
}

impl<P: FirstValueParameter> Read for FirstValueReader<P> {
    type Held<'c> = P::Held<'c>;

    fn read<'c>(&self, call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        P::read(call, input)
    }
}

/// A reader of a type that is no parameter: it is found where [`Read`] is not.
pub trait ReadNothing {
    /// Nothing that could be there.
    ///
    /// # Errors
    ///
    /// Always.
    fn read(&self, call: &Call<'_>, input: usize) -> Result<Nothing, ModelError>;
}

impl<P: ?Sized> ReadNothing for &Reader<P> {
    fn read(&self, call: &Call<'_>, _: usize) -> Result<Nothing, ModelError> {
        Err(nothing(call))
    }
}

impl<P: ?Sized> ReadNothing for &FirstValueReader<P> {
    fn read(&self, call: &Call<'_>, _: usize) -> Result<Nothing, ModelError> {
        Err(nothing(call))
    }
}

/// The argument of a parameter that does not compile.
#[derive(Debug, Clone, Copy)]
pub enum Nothing {}

impl Nothing {
    /// Whatever the function takes.
    pub fn argument<T>(self) -> T {
        match self {}
    }
}

/// What a function returned, `EACH` for one that takes the requests as they are.
#[derive(Debug)]
pub struct Answer<R, const EACH: bool>(pub R);

/// Turns what came back into tensors.
pub trait Convert {
    /// The tensors.
    ///
    /// # Errors
    ///
    /// [`ModelError::Function`] when an error came back, [`ModelError::Output`] when an array is no tensor.
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError>;
}

impl<R: Outputs> Convert for Answer<R, false> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        call.outputs(self.0)
    }
}

impl<R: Responses> Convert for Answer<R, true> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        call.responses(self.0)
    }
}

/// The same of a type that is no output: it is found where [`Convert`] is not.
pub trait ConvertNothing {
    /// Nothing.
    ///
    /// # Errors
    ///
    /// Always.
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError>;
}

impl<R, const EACH: bool> ConvertNothing for &Answer<R, EACH> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        Err(nothing(call))
    }
}

/// The outputs that a return type declares.
#[derive(Debug)]
pub struct Returns<const EACH: bool>;

impl Returns<false> {
    /// Under their default names.
    pub const fn declarations<R: Outputs>() -> &'static [TensorDeclaration] {
        R::DECLARATIONS
    }
}

impl Returns<true> {
    /// Under their default names.
    pub const fn declarations<R: Responses>() -> &'static [TensorDeclaration] {
        R::DECLARATIONS
    }
}

fn nothing(call: &Call<'_>) -> ModelError {
    ModelError::Function {
        model: Arc::clone(&call.context().model().name),
        message: "its signature does not compile".to_owned(),
    }
}
