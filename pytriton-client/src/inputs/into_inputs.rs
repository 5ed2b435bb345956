use std::collections::{BTreeMap, HashMap};

use crate::ClientError;

use super::{Inputs, IntoInput, IntoTensor};

/// All inputs of a request: an array, or a tuple, array, vector or map of inputs. Either all inputs
/// have names, or no input has one.
///
/// # Examples
///
/// ```
/// # use pytriton_client::{Inputs, IntoInputs};
/// # use ndarray::array;
/// let (x, scale) = (array![[1.0_f32, 2.0]], array![[2_i64]]);
/// assert!((&x).into_inputs().is_ok());
/// assert!((&x, &scale).into_inputs().is_ok());
/// assert!((("x", &x), ("scale", &scale)).into_inputs().is_ok());
/// assert!([("x", &x), ("y", &x)].into_inputs().is_ok());
/// assert!((&x, ("scale", &scale)).into_inputs().is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the inputs of a request",
    label = "no inputs",
    note = "pass an array such as `&x`, arrays in the model's order such as `(&x, &scale)`, or with their names, such as \
            `((\"x\", &x), (\"scale\", &scale))`"
)]
pub trait IntoInputs {
    /// Converts the inputs to tensors.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Inputs`] if the collection is empty or only some inputs have names,
    /// and [`ClientError::Tensor`] if an element is too long for its type.
    fn into_inputs(self) -> Result<Inputs, ClientError>;
}

impl IntoInputs for Inputs {
    fn into_inputs(self) -> Result<Inputs, ClientError> {
        Ok(self)
    }
}

impl<T: IntoTensor> IntoInputs for T {
    fn into_inputs(self) -> Result<Inputs, ClientError> {
        Inputs::collect([self.into_input()])
    }
}

impl<I: IntoInput, const N: usize> IntoInputs for [I; N] {
    fn into_inputs(self) -> Result<Inputs, ClientError> {
        Inputs::collect(self.into_iter().map(I::into_input))
    }
}

impl<I: IntoInput> IntoInputs for Vec<I> {
    fn into_inputs(self) -> Result<Inputs, ClientError> {
        Inputs::collect(self.into_iter().map(I::into_input))
    }
}

impl<T: IntoTensor> IntoInputs for BTreeMap<String, T> {
    fn into_inputs(self) -> Result<Inputs, ClientError> {
        Inputs::collect(self.into_iter().map(IntoInput::into_input))
    }
}

impl<T: IntoTensor, S> IntoInputs for HashMap<String, T, S> {
    fn into_inputs(self) -> Result<Inputs, ClientError> {
        Inputs::collect(self.into_iter().map(IntoInput::into_input))
    }
}

macro_rules! tuples {
    ($($($input:ident)*;)*) => {$(
        impl<$($input: IntoInput),*> IntoInputs for ($($input,)*) {
            fn into_inputs(self) -> Result<Inputs, ClientError> {
                #[expect(non_snake_case, reason = "the types' names")]
                let ($($input,)*) = self;
                Inputs::collect([$($input.into_input()),*])
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}
