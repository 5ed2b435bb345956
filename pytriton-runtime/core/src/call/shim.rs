//! Functions for generated code. A wrong type is a single compile error, at the constant that
//! requires the trait. The rest of the generated code compiles with any type.

use std::fmt;
use std::marker::PhantomData;

use crate::model::TensorDeclaration;

use super::{
    Call, Context, EachOutputs, FirstValueParameter, FunctionError, ModelError, Output, Outputs,
    Parameter, Returned,
};

/// Reads the argument for a parameter of this type.
pub struct Reader<P: ?Sized>(PhantomData<fn(&P)>);

/// Reads the argument for a parameter of this type with `#[first_value]`.
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

/// The operation of a reader.
pub trait Read {
    /// The value that the argument is derived from.
    type Storage<'c>;

    /// Like [`Parameter::read`].
    ///
    /// # Errors
    ///
    /// As [`Parameter::read`].
    fn read<'c>(self, call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError>;
}

impl<P: Parameter> Read for Reader<P> {
    type Storage<'c> = P::Storage<'c>;

    fn read<'c>(self, call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        P::read(call, input)
    }
}

impl<P: FirstValueParameter> Read for FirstValueReader<P> {
    type Storage<'c> = P::Storage<'c>;

    fn read<'c>(self, call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        P::read(call, input)
    }
}

/// A reader for types that are not parameters. Method lookup finds it if [`Read`] does not apply.
pub trait ReadNothing {
    /// Returns an error. Never called.
    ///
    /// # Errors
    ///
    /// Always.
    fn read(self, call: &Call<'_>, input: usize) -> Result<Nothing, ModelError>;
}

impl<P: ?Sized> ReadNothing for &Reader<P> {
    fn read(self, call: &Call<'_>, _: usize) -> Result<Nothing, ModelError> {
        Err(nothing(call.context()))
    }
}

impl<P: ?Sized> ReadNothing for &FirstValueReader<P> {
    fn read(self, call: &Call<'_>, _: usize) -> Result<Nothing, ModelError> {
        Err(nothing(call.context()))
    }
}

/// The argument for a parameter that does not compile.
#[derive(Debug, Clone, Copy)]
pub enum Nothing {}

impl Nothing {
    /// Returns any type that the function takes.
    pub fn argument<T>(self) -> T {
        match self {}
    }

    /// Returns any type that an argument is borrowed from.
    pub fn reborrow(&mut self) -> Self {
        *self
    }
}

/// A return value. `EACH` is true for a raw function.
#[derive(Debug)]
pub struct ReturnValue<R, const EACH: bool>(pub R);

/// Converts a return value to tensors.
pub trait Convert {
    /// Returns the tensors.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the value is an error, or [`ModelError::Output`] if an
    /// array cannot be converted.
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError>;
}

impl<R: Outputs> Convert for ReturnValue<R, false> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        call.outputs(self.0)
    }
}

impl<R: EachOutputs> Convert for ReturnValue<R, true> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        call.responses(self.0)
    }
}

/// Accepts types that are not outputs. Method lookup finds it if [`Convert`] does not apply.
pub trait ConvertNothing {
    /// Returns an error. Never called.
    ///
    /// # Errors
    ///
    /// Always.
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError>;
}

impl<R, const EACH: bool> ConvertNothing for &ReturnValue<R, EACH> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        Err(nothing(call.context()))
    }
}

/// A return type. `EACH` is true for a raw function.
pub struct Returns<R, const EACH: bool>(PhantomData<fn() -> R>);

impl<R, const EACH: bool> fmt::Debug for Returns<R, EACH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returns")
    }
}

impl<R: Outputs> Returns<R, false> {
    /// The outputs with their default names.
    pub const DECLARATIONS: &'static [TensorDeclaration] = R::DECLARATIONS;
}

impl<R: EachOutputs> Returns<R, true> {
    /// The outputs with their default names.
    pub const DECLARATIONS: &'static [TensorDeclaration] = R::DECLARATIONS;
}

/// Accepts types that are not outputs. Lookup finds it if the inherent constants do not apply.
pub trait ReturnsNothing {
    /// One output without a name, which is refused.
    const DECLARATIONS: &'static [TensorDeclaration] = &[TensorDeclaration::NONE];
}

impl<R, const EACH: bool> ReturnsNothing for Returns<R, EACH> {}

/// Requirements on the parts of a return type. Each is checked separately, so that the compiler
/// points at the wrong part.
#[derive(Debug)]
pub struct ReturnCheck<const EACH: bool>;

impl ReturnCheck<false> {
    /// The outputs of one call.
    pub const fn outputs<R: Outputs>() {}
}

impl ReturnCheck<true> {
    /// The outputs of all requests.
    pub const fn outputs<R: EachOutputs>() {}
}

impl<const EACH: bool> ReturnCheck<EACH> {
    /// The entry of one request.
    pub const fn entry<R: Outputs>() {}

    /// An element of a tuple.
    pub const fn element<R: Output>() {}

    /// The error of a `Result`.
    pub const fn error<E: FunctionError>() {}
}

/// Returns the error of a function whose signature does not compile.
pub fn nothing(context: &Context) -> ModelError {
    ModelError::internal(context.model(), &"its signature does not compile")
}
