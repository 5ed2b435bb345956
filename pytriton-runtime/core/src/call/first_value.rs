use ndarray::{Array, ArrayView, Dimension};

use crate::model::{Declared, InputType};
use crate::tensor::Element;

use super::parameter::ByValue;
use super::{Call, ModelError, Parameter, Scalar};

/// A type of a parameter with `#[first_value]`: a single value, or an array without the batch axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter under `#[first_value]`",
    label = "neither a value nor an array",
    note = "take a value such as `f32` or `String`, an array without the batch axis such as `ArrayView1<f32>`, or an `Option` of one"
)]
pub trait FirstValueParameter {
    /// The declaration of the parameter. Its rank does not count the batch axis.
    const DECLARED: Declared;
    /// The element type of the input, or `()` if the parameter is not an input.
    type Element;
    /// The value that the argument is derived from.
    type Storage<'c>;

    /// Like [`Parameter::read`], for an input of one row.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if the bytes of the input are not valid elements of the type.
    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError>;
}

const fn value<T: Element>(optional: bool) -> Declared {
    Declared::Value(InputType {
        datatype: T::DATATYPE,
        utf8: T::UTF8,
        rank: None,
        optional,
        example: &[],
    })
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> FirstValueParameter for T {
    const DECLARED: Declared = value::<T>(false);
    type Element = T;
    type Storage<'c> = ByValue<T>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.scalar(input).map(ByValue)
    }
}

impl<T: Scalar> FirstValueParameter for Option<T> {
    const DECLARED: Declared = value::<T>(true);
    type Element = T;
    type Storage<'c> = ByValue<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.optional_scalar(input).map(ByValue)
    }
}

/// Arrays are read as usual. `#[first_value]` has removed their batch axis.
macro_rules! arrays {
    ($($array:ty),*) => {
        $(
            impl<T: Element, D: Dimension> FirstValueParameter for $array {
                const DECLARED: Declared = <Self as Parameter>::DECLARED;
                type Element = T;
                type Storage<'c> = <Self as Parameter>::Storage<'c>;

                fn read<'c>(
                    call: &'c Call<'_>,
                    input: usize,
                ) -> Result<Self::Storage<'c>, ModelError> {
                    <Self as Parameter>::read(call, input)
                }
            }
        )*
    };
}

arrays!(
    ArrayView<'_, T, D>,
    Option<ArrayView<'_, T, D>>,
    Array<T, D>,
    Option<Array<T, D>>
);
