use ndarray::{Array, CowArray, Dimension};

use crate::tensor::{Element, Tensor, TensorError, array};

/// The result of a model's function as callers receive it: an array, a tuple of arrays, a struct
/// that derives `Outputs`, or a `Result` of these without its error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a response",
    label = "not the outputs of a model",
    note = "derive `pytriton::Outputs` for it"
)]
pub trait Returned {
    /// The type that a caller receives.
    type Typed;

    /// Converts the tensors of a response.
    ///
    /// # Errors
    ///
    /// Returns the [`TensorError`] of the tensor that was read last.
    fn read(tensors: &mut Tensors<'_>) -> Result<Self::Typed, TensorError>;
}

/// The tensors of a response, in the model's order.
#[derive(Debug)]
pub struct Tensors<'a> {
    tensors: &'a [Option<&'a Tensor>],
    read: usize,
}

impl<'a> Tensors<'a> {
    /// Starts with the first tensor; missing ones are `None`.
    pub fn new(tensors: &'a [Option<&'a Tensor>]) -> Self {
        Self { tensors, read: 0 }
    }

    /// Converts the next tensor.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if it is missing or has another type.
    pub fn take<T: FromTensor>(&mut self) -> Result<T, TensorError> {
        let tensor = self.tensors.get(self.read).copied().flatten();
        self.read += 1;
        T::from_tensor(tensor.ok_or(TensorError::Missing)?)
    }

    /// Returns the number of tensors that have been read.
    pub fn read(&self) -> usize {
        self.read
    }
}

/// A type that a response tensor can be converted to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a tensor",
    label = "no output",
    note = "an output is an owned array such as `Array2<f32>`"
)]
pub trait FromTensor: Sized {
    /// Converts a tensor.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if the tensor has another type.
    fn from_tensor(tensor: &Tensor) -> Result<Self, TensorError>;
}

impl<T: Element, D: Dimension> FromTensor for Array<T, D> {
    fn from_tensor(tensor: &Tensor) -> Result<Self, TensorError> {
        array(tensor).map(CowArray::into_owned)
    }
}

impl<T: Element, D: Dimension> Returned for Array<T, D> {
    type Typed = Self;

    fn read(tensors: &mut Tensors<'_>) -> Result<Self, TensorError> {
        tensors.take()
    }
}

impl<O: Returned, E> Returned for Result<O, E> {
    type Typed = O::Typed;

    fn read(tensors: &mut Tensors<'_>) -> Result<O::Typed, TensorError> {
        O::read(tensors)
    }
}

macro_rules! tuples {
    ($($($output:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($output: FromTensor),*> Returned for ($($output,)*) {
            type Typed = Self;

            fn read(tensors: &mut Tensors<'_>) -> Result<Self, TensorError> {
                Ok(($(tensors.take::<$output>()?,)*))
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
    A B C D E F G H I J K L N;
    A B C D E F G H I J K L N O;
    A B C D E F G H I J K L N O P;
    A B C D E F G H I J K L N O P Q;
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};

    use super::*;

    #[test]
    fn tensors_are_read_in_order_up_to_the_first_mistake() {
        let numbers = Tensor::from_array(array![1.0_f32, 2.0]).unwrap();
        let words = Tensor::from_array(array!["a".to_owned()]).unwrap();
        type Two = (Array1<f32>, Array1<String>);
        let both = [Some(&numbers), Some(&words)];
        let mut tensors = Tensors::new(&both);
        let two = Result::<Two, ()>::read(&mut tensors).unwrap();
        assert_eq!(two, (array![1.0, 2.0], array!["a".to_owned()]));
        assert_eq!(tensors.read(), 2);
        // The tensors, the error, and how many were read.
        let table: [(&[Option<&Tensor>], _, _); 4] = [
            (&[], TensorError::Missing, 1),
            (&[None, Some(&words)], TensorError::Missing, 1),
            (&[Some(&numbers)], TensorError::Missing, 2),
            (
                &[Some(&numbers), Some(&numbers)],
                numbers.elements::<String>().unwrap_err(),
                2,
            ),
        ];
        for (given, expected, read) in table {
            let mut tensors = Tensors::new(given);
            assert_eq!(Two::read(&mut tensors), Err(expected));
            assert_eq!(tensors.read(), read);
        }
    }
}
