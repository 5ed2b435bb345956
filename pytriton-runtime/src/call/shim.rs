//! What generated code calls. A type that cannot be there is one compile error, where a constant asks for its trait; the
//! rest of the generated code compiles with any type.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::model::TensorDeclaration;

use super::{
    Call, Context, EachOutputs, FirstValueParameter, FunctionError, ModelError, Output, Outputs,
    Parameter, Returned,
};

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
    fn read<'c>(self, call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError>;
}

impl<P: Parameter> Read for Reader<P> {
    type Held<'c> = P::Held<'c>;

    fn read<'c>(self, call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        P::read(call, input)
    }
}

impl<P: FirstValueParameter> Read for FirstValueReader<P> {
    type Held<'c> = P::Held<'c>;

    fn read<'c>(self, call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
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

/// The argument of a parameter that does not compile.
#[derive(Debug, Clone, Copy)]
pub enum Nothing {}

impl Nothing {
    /// Whatever the function takes.
    pub fn argument<T>(self) -> T {
        match self {}
    }

    /// Whatever an argument is made of.
    pub fn lend(&mut self) -> Self {
        *self
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

impl<R: EachOutputs> Convert for Answer<R, true> {
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
        Err(nothing(call.context()))
    }
}

/// A return type, `EACH` for a function that takes the requests as they are.
pub struct Returns<R, const EACH: bool>(PhantomData<fn() -> R>);

impl<R, const EACH: bool> fmt::Debug for Returns<R, EACH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returns")
    }
}

impl<R: Outputs> Returns<R, false> {
    /// The outputs under their default names.
    pub const DECLARATIONS: &'static [TensorDeclaration] = R::DECLARATIONS;
}

impl<R: EachOutputs> Returns<R, true> {
    /// The outputs under their default names.
    pub const DECLARATIONS: &'static [TensorDeclaration] = R::DECLARATIONS;
}

/// The same of a type that is no output: it is found where the outputs are not.
pub trait ReturnsNothing {
    /// What is refused: an output without a name.
    const DECLARATIONS: &'static [TensorDeclaration] = &[TensorDeclaration::NONE];
}

impl<R, const EACH: bool> ReturnsNothing for Returns<R, EACH> {}

/// What the parts of a return type must be, each asked for by itself so that the compiler points at it.
#[derive(Debug)]
pub struct Asked<const EACH: bool>;

impl Asked<false> {
    /// The outputs of one call.
    pub const fn whole<R: Outputs>() {}
}

impl Asked<true> {
    /// The outputs of all requests.
    pub const fn whole<R: EachOutputs>() {}
}

impl<const EACH: bool> Asked<EACH> {
    /// An entry for one request.
    pub const fn entry<R: Outputs>() {}

    /// An element of a tuple.
    pub const fn element<R: Output>() {}

    /// The error of a `Result`.
    pub const fn error<E: FunctionError>() {}
}

pub(crate) fn nothing(context: &Context) -> ModelError {
    ModelError::Function {
        model: Arc::clone(&context.model().name),
        message: "its signature does not compile".to_owned(),
    }
}
