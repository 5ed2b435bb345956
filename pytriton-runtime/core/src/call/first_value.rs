use pytriton_protocol::typed::{
    ArrayOf, FirstValueType, OptionalArrayOf, OptionalValueOf, ValueOf,
};

use crate::model::{Declared, InputType};
use crate::tensor::Element;

use super::parameter::ByValue;
use super::{Call, ModelError, Parameter};

/// A type of a parameter with `#[first_value]`: a single value, or an array without the batch axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter under `#[first_value]`",
    label = "neither a value nor an array",
    note = "take a value such as `f32` or `String`, an array without the batch axis such as `ArrayView1<f32>`, or an `Option` of one"
)]
pub trait FirstValueParameter {
    /// The declaration of the parameter. Its rank does not count the batch axis.
    #[doc(hidden)]
    const DECLARED: Declared;
    /// The element type of the input, or `()` if the parameter is not an input.
    #[doc(hidden)]
    type Element;
    /// The value that the argument is derived from.
    #[doc(hidden)]
    type Storage<'c>;

    /// Like [`Parameter::read`], for an input of one row.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if the bytes of the input are not valid elements of the type.
    #[doc(hidden)]
    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError>;
}

#[diagnostic::do_not_recommend]
impl<P: FirstValueType> FirstValueParameter for P
where
    P::Kind: ReadAs<P>,
{
    const DECLARED: Declared = <P::Kind as ReadAs<P>>::DECLARED;
    type Element = <P::Kind as ReadAs<P>>::Element;
    type Storage<'c> = <P::Kind as ReadAs<P>>::Storage<'c>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        <P::Kind as ReadAs<P>>::read(call, input)
    }
}

/// How a parameter of type `P` is read. See [`FirstValueParameter`].
pub trait ReadAs<P> {
    /// See [`FirstValueParameter::DECLARED`].
    const DECLARED: Declared;
    /// See [`FirstValueParameter::Element`].
    type Element;
    /// See [`FirstValueParameter::Storage`].
    type Storage<'c>;

    /// See [`FirstValueParameter::read`].
    ///
    /// # Errors
    ///
    /// As [`FirstValueParameter::read`].
    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError>;
}

impl<T: Element> ReadAs<T> for ValueOf<T> {
    const DECLARED: Declared = Declared::Value(InputType::of::<T>(None, false));
    type Element = T;
    type Storage<'c> = ByValue<T>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.scalar(input).map(ByValue)
    }
}

impl<T: Element> ReadAs<Option<T>> for OptionalValueOf<T> {
    const DECLARED: Declared = Declared::Value(InputType::of::<T>(None, true));
    type Element = T;
    type Storage<'c> = ByValue<Option<T>>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.optional_scalar(input).map(ByValue)
    }
}

/// Arrays are read as usual. `#[first_value]` has removed their batch axis.
macro_rules! arrays {
    ($($kind:ident),*) => {$(
        impl<P: Parameter, T, D> ReadAs<P> for $kind<T, D> {
            const DECLARED: Declared = P::DECLARED;
            type Element = P::Element;
            type Storage<'c> = P::Storage<'c>;

            fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
                P::read(call, input)
            }
        }
    )*};
}

arrays!(ArrayOf, OptionalArrayOf);
