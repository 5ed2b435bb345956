use ndarray::{Array, ArrayView, CowArray, Dimension};

use crate::model::{Declared, InputType};
use crate::tensor::Element;

use super::parameter::{Given, OptionalViewed, Viewed, array};
use super::{Call, ModelError};

/// What can stand under `#[first_value]`: a single value, or an array without the batch axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter under `#[first_value]`",
    label = "neither a value nor an array",
    note = "take a value such as `f32` or `String`, an array without the batch axis such as `ArrayView1<f32>`, or an `Option` of one"
)]
pub trait FirstValueParameter {
    /// What the parameter declares; its rank does not count the batch axis.
    const DECLARED: Declared;
    /// The element type of the input; `()` for what is none.
    type Element;
    /// What its argument is made of.
    type Held<'c>;

    /// As [`Parameter::read`](super::Parameter::read), of an input that is one row.
    ///
    /// # Errors
    ///
    /// [`ModelError::Input`] when the input's bytes are no elements of the type.
    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError>;
}

const fn value<T: Element>(optional: bool) -> Declared {
    Declared::Value(InputType {
        datatype: T::DATATYPE,
        rank: None,
        optional,
    })
}

#[diagnostic::do_not_recommend]
impl<T: Element> FirstValueParameter for T {
    const DECLARED: Declared = value::<T>(false);
    type Element = T;
    type Held<'c> = Given<T>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        call.scalar(input).map(Given)
    }
}

impl<T: Element> FirstValueParameter for Option<T> {
    const DECLARED: Declared = value::<T>(true);
    type Element = T;
    type Held<'c> = Given<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        call.optional_scalar(input).map(Given)
    }
}

impl<T: Element, D: Dimension> FirstValueParameter for ArrayView<'_, T, D> {
    const DECLARED: Declared = array::<T, D>(false);
    type Element = T;
    type Held<'c> = Viewed<'c, T, D>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        call.array(input).map(Viewed)
    }
}

impl<T: Element, D: Dimension> FirstValueParameter for Option<ArrayView<'_, T, D>> {
    const DECLARED: Declared = array::<T, D>(true);
    type Element = T;
    type Held<'c> = OptionalViewed<'c, T, D>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        call.optional_array(input).map(OptionalViewed)
    }
}

impl<T: Element, D: Dimension> FirstValueParameter for Array<T, D> {
    const DECLARED: Declared = array::<T, D>(false);
    type Element = T;
    type Held<'c> = Given<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        Ok(Given(call.array(input)?.into_owned()))
    }
}

impl<T: Element, D: Dimension> FirstValueParameter for Option<Array<T, D>> {
    const DECLARED: Declared = array::<T, D>(true);
    type Element = T;
    type Held<'c> = Given<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Held<'c>, ModelError> {
        let array = call.optional_array(input)?;
        Ok(Given(array.map(CowArray::into_owned)))
    }
}
