use std::fmt;

use ndarray::{Array, CowArray, Dimension};

use crate::tensor::{
    ALLOCATION_BYTES, Element, Tensor, TensorError, array, element_count, shape_text,
};

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
pub struct Tensors<'a> {
    tensors: &'a [Option<&'a Tensor>],
    read: usize,
    /// Reserves the memory of an array before it is created. Returns `false` if that is refused.
    reserve: &'a mut dyn FnMut(usize) -> bool,
}

impl<'a> Tensors<'a> {
    /// Starts with the first tensor; missing ones are `None`. Before an array is created, `reserve`
    /// is called with its maximum memory in bytes, and returns whether that is available.
    pub fn new(
        tensors: &'a [Option<&'a Tensor>],
        reserve: &'a mut dyn FnMut(usize) -> bool,
    ) -> Self {
        Self {
            tensors,
            read: 0,
            reserve,
        }
    }

    /// Converts the next tensor.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if it is missing and not optional, if it has another type, or if its
    /// memory is not available.
    pub fn take<T: FromTensor>(&mut self) -> Result<T, TensorError> {
        let tensor = self.tensors.get(self.read).copied().flatten();
        self.read += 1;
        let Some(tensor) = tensor else {
            return T::from_omitted();
        };
        match (self.reserve)(T::decoded_bytes(tensor)) {
            true => T::from_tensor(tensor),
            false => Err(TensorError::TooLarge {
                shape: shape_text(tensor.shape()),
            }),
        }
    }

    /// Returns the number of tensors that have been read.
    pub fn read(&self) -> usize {
        self.read
    }
}

impl fmt::Debug for Tensors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensors")
            .field("tensors", &self.tensors)
            .field("read", &self.read)
            .finish_non_exhaustive()
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

    /// Returns the maximum memory that the converted tensor takes, in bytes.
    fn decoded_bytes(tensor: &Tensor) -> usize;

    /// Returns the value of an output that the response does not contain.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::Missing`] by default.
    fn from_omitted() -> Result<Self, TensorError> {
        Err(TensorError::Missing)
    }
}

impl<T: Element, D: Dimension> FromTensor for Array<T, D> {
    fn from_tensor(tensor: &Tensor) -> Result<Self, TensorError> {
        array(tensor).map(CowArray::into_owned)
    }

    fn decoded_bytes(tensor: &Tensor) -> usize {
        let data = tensor.data();
        if tensor.datatype() != T::DATATYPE {
            // It is not converted.
            return 0;
        }
        if let Some(bytes) = T::decoded_bytes(data) {
            return bytes;
        }
        let element_bytes = match T::DATATYPE.size() {
            Some(_) => 0,
            None => size_of::<T>() + ALLOCATION_BYTES,
        };
        let count = element_count(tensor.shape()).unwrap_or(usize::MAX);
        let elements = count.saturating_mul(element_bytes);
        elements.saturating_add(data.len())
    }
}

/// An optional output is `None` in a response that does not contain it.
#[diagnostic::do_not_recommend]
impl<T: Element, D: Dimension> FromTensor for Option<Array<T, D>> {
    fn from_tensor(tensor: &Tensor) -> Result<Self, TensorError> {
        Array::from_tensor(tensor).map(Some)
    }

    fn decoded_bytes(tensor: &Tensor) -> usize {
        Array::<T, D>::decoded_bytes(tensor)
    }

    fn from_omitted() -> Result<Self, TensorError> {
        Ok(None)
    }
}

impl<T: Element, D: Dimension> Returned for Array<T, D> {
    type Typed = Self;

    fn read(tensors: &mut Tensors<'_>) -> Result<Self, TensorError> {
        tensors.take()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, D: Dimension> Returned for Option<Array<T, D>> {
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
        let mut reserved = Vec::new();
        let mut reserve = |bytes| {
            reserved.push(bytes);
            true
        };
        let mut tensors = Tensors::new(&both, &mut reserve);
        let two = Result::<Two, ()>::read(&mut tensors).unwrap();
        assert_eq!(two, (array![1.0, 2.0], array!["a".to_owned()]));
        assert_eq!(tensors.read(), 2);
        assert_eq!(reserved, [8, 24 + 32 + 5]);
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
            let mut reserve = |_| true;
            let mut tensors = Tensors::new(given, &mut reserve);
            assert_eq!(Two::read(&mut tensors), Err(expected));
            assert_eq!(tensors.read(), read);
        }
    }

    #[test]
    fn omitted_optional_output_is_none() {
        type Two = (Option<Array1<f32>>, Option<Array1<String>>);
        let numbers = Tensor::from_array(array![1.0_f32]).unwrap();
        let words = Tensor::from_array(array!["a".to_owned()]).unwrap();
        let (one, text) = (Some(array![1.0]), Some(array!["a".to_owned()]));
        let wrong = numbers.elements::<String>().unwrap_err();
        type Read = Result<Two, TensorError>;
        let table: [(&[Option<&Tensor>], Read); 5] = [
            (&[], Ok((None, None))),
            (
                &[Some(&numbers), Some(&words)],
                Ok((one.clone(), text.clone())),
            ),
            (&[None, Some(&words)], Ok((None, text))),
            (&[Some(&numbers), None], Ok((one, None))),
            (&[None, Some(&numbers)], Err(wrong)),
        ];
        for (given, expected) in table {
            let mut reserve = |_| true;
            let mut tensors = Tensors::new(given, &mut reserve);
            assert_eq!(Two::read(&mut tensors), expected);
            assert_eq!(tensors.read(), 2);
        }
        let mut reserve = |bytes| bytes < 4;
        let given = [Some(&numbers)];
        let read = Option::<Array1<f32>>::read(&mut Tensors::new(&given, &mut reserve));
        assert!(
            matches!(read, Err(TensorError::TooLarge { .. })),
            "{read:?}"
        );
    }

    #[test]
    fn an_array_whose_memory_is_not_available_is_not_created() {
        let words = Tensor::from_array(array!["a".to_owned(), "b".to_owned()]).unwrap();
        let given = [Some(&words)];
        let mut reserve = |bytes| bytes < 2 * (24 + 32 + 5);
        let mut tensors = Tensors::new(&given, &mut reserve);
        let shape = "[2]".to_owned();
        let read = tensors.take::<Array1<String>>();
        assert_eq!(read, Err(TensorError::TooLarge { shape }));
    }
}
