use ndarray::{Array, ArrayView, Dimension, IxDyn};

use crate::model::{Declared, InputType};
use crate::request::{Identity, Parameters, Request, Sequence};
use crate::tensor::Element;

use super::{Call, Cancellation, Context, ModelError, Outputs, Responses};

/// A parameter type of a model's function.
///
/// | Type | The argument |
/// | --- | --- |
/// | `ArrayView2<T>`, `Array2<T>`, and those of other ranks | an input; `T` is an element type |
/// | `Ragged<T>` | an input whose rows have different lengths |
/// | `Option` of one of these | an input that a request may omit |
/// | `Vec<String>` | an input with one text in each row |
/// | a struct that derives `Inputs` | its fields are inputs |
/// | `&Parameters` | the parameters of the request |
/// | `&Identity` | the client |
/// | `&Context` | the model, its instance and its parameters |
/// | `&Cancellation` | whether the client still waits |
/// | `&Sequence`, or `&[&Sequence]` for a batch | the sequence of the request |
/// | `&Call<M>` | calls another model |
/// | `&Arc<T>` | a state that models share |
/// | `&Responses<O>`, or `Vec<Responses<O>>` | sends the responses of a stream |
/// | `&[Request]` | the requests as they are |
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a model",
    label = "not a parameter",
    note = "take an array such as `ArrayView2<f32>`, an `Option` of one, a struct that derives `pytriton::Inputs`, `&Parameters`, `&Identity`, `&Context`, `&Cancellation`, `&Sequence`, `&Call<…>`, `&Arc<…>` or `&[Request]`",
    note = "arrays are those of `pytriton::ndarray`, and `f16` and `bf16` those of `pytriton`"
)]
pub trait Parameter {
    /// The declaration of the parameter.
    #[doc(hidden)]
    const DECLARED: Declared;
    /// The element type of the input, or `()` if the parameter is not an input.
    #[doc(hidden)]
    type Element;
    /// The value that the argument is derived from.
    #[doc(hidden)]
    type Storage<'c>;

    /// Reads this value. If the parameter is an input, `input` is its index.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if the bytes of the input are not valid elements of the type.
    #[doc(hidden)]
    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError>;
}

/// A value that a function takes as it is.
#[derive(Debug)]
pub struct ByValue<T>(pub T);

impl<T> ByValue<T> {
    /// Returns the argument.
    pub fn argument(self) -> T {
        self.0
    }
}

/// Returns the declaration of an array input.
const fn array<T: Element, D: Dimension>(optional: bool) -> Declared {
    Declared::Input(InputType::of::<T>(D::NDIM, optional))
}

impl<T: Element, D: Dimension> Parameter for ArrayView<'_, T, D> {
    const DECLARED: Declared = array::<T, D>(false);
    type Element = T;
    type Storage<'c> = ByValue<ArrayView<'c, T, D>>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.view(input).map(ByValue)
    }
}

impl<T: Element, D: Dimension> Parameter for Option<ArrayView<'_, T, D>> {
    const DECLARED: Declared = array::<T, D>(true);
    type Element = T;
    type Storage<'c> = ByValue<Option<ArrayView<'c, T, D>>>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.optional_view(input).map(ByValue)
    }
}

impl<T: Element, D: Dimension> Parameter for Array<T, D> {
    const DECLARED: Declared = array::<T, D>(false);
    type Element = T;
    type Storage<'c> = ByValue<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.owned(call.array(input)?).map(ByValue)
    }
}

impl<T: Element, D: Dimension> Parameter for Option<Array<T, D>> {
    const DECLARED: Declared = array::<T, D>(true);
    type Element = T;
    type Storage<'c> = ByValue<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        let array = call.optional_array(input)?;
        let array = array.map(|array| call.owned(array));
        array.transpose().map(ByValue)
    }
}

/// One text of each row.
#[diagnostic::do_not_recommend]
impl Parameter for Vec<String> {
    const DECLARED: Declared = Declared::Value(InputType::of::<String>(None, false));
    type Element = String;
    type Storage<'c> = ByValue<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        let texts = call.owned(call.array::<String, IxDyn>(input)?)?;
        Ok(ByValue(texts.into_raw_vec_and_offset().0))
    }
}

#[diagnostic::do_not_recommend]
impl Parameter for &Parameters {
    const DECLARED: Declared = Declared::Parameters;
    type Element = ();
    type Storage<'c> = ByValue<&'c Parameters>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        Ok(ByValue(call.parameters()))
    }
}

#[diagnostic::do_not_recommend]
impl Parameter for &Identity {
    const DECLARED: Declared = Declared::Identity;
    type Element = ();
    type Storage<'c> = ByValue<&'c Identity>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        Ok(ByValue(call.identity()))
    }
}

#[diagnostic::do_not_recommend]
impl Parameter for &Context {
    const DECLARED: Declared = Declared::Context;
    type Element = ();
    type Storage<'c> = ByValue<&'c Context>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        Ok(ByValue(call.context()))
    }
}

/// A value that a function borrows.
#[derive(Debug)]
pub struct ByReference<T>(T);

impl<T> ByReference<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the argument.
    pub fn argument(&self) -> &T {
        &self.0
    }
}

#[diagnostic::do_not_recommend]
impl Parameter for &Cancellation {
    const DECLARED: Declared = Declared::Cancellation;
    type Element = ();
    type Storage<'c> = ByReference<Cancellation>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        Ok(ByReference(call.cancellation()))
    }
}

#[diagnostic::do_not_recommend]
impl Parameter for &Sequence {
    const DECLARED: Declared = Declared::Sequence { each: false };
    type Element = ();
    type Storage<'c> = ByValue<&'c Sequence>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        let sequence = call.requests().first().and_then(Request::sequence);
        sequence.map(ByValue).ok_or_else(|| in_no_sequence(call))
    }
}

#[diagnostic::do_not_recommend]
impl Parameter for &[&Sequence] {
    const DECLARED: Declared = Declared::Sequence { each: true };
    type Element = ();
    type Storage<'c> = ByReference<Vec<&'c Sequence>>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        let sequences = call.requests().iter().map(Request::sequence);
        let sequences: Option<Vec<_>> = sequences.collect();
        sequences
            .map(ByReference)
            .ok_or_else(|| in_no_sequence(call))
    }
}

/// The scheduler does not accept such requests.
fn in_no_sequence(call: &Call<'_>) -> ModelError {
    let message = "a request does not belong to a sequence";
    ModelError::internal(call.context().model(), &message)
}

#[diagnostic::do_not_recommend]
impl<O: Outputs> Parameter for &Responses<O> {
    const DECLARED: Declared = Declared::Responses {
        outputs: O::DECLARATIONS,
        each: false,
    };
    type Element = ();
    type Storage<'c> = ByReference<Responses<O>>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        let responses = Responses::of(call);
        responses.map(ByReference).ok_or_else(|| {
            let message = "the call has no response sender";
            ModelError::internal(call.context().model(), &message)
        })
    }
}

#[diagnostic::do_not_recommend]
impl<O: Outputs> Parameter for Vec<Responses<O>> {
    const DECLARED: Declared = Declared::Responses {
        outputs: O::DECLARATIONS,
        each: true,
    };
    type Element = ();
    type Storage<'c> = ByValue<Self>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        Ok(ByValue(Responses::each(call).unwrap_or_default()))
    }
}

#[diagnostic::do_not_recommend]
impl Parameter for &[Request] {
    const DECLARED: Declared = Declared::Requests;
    type Element = ();
    type Storage<'c> = ByValue<&'c [Request]>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        Ok(ByValue(call.requests()))
    }
}
