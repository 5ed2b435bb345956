use std::fmt::Display;

use ndarray::{Array, Dimension};
use pytriton_protocol::typed::FromTensor;

use crate::model::TensorDeclaration;
use crate::tensor::{DataType, Element};

use super::function_error::function_error;
use super::{ModelError, OutputWriter, ResponseParts};

/// An array that a function returns as one output. `None` omits an output of type `Option`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an output of a model",
    label = "not an output",
    note = "an output is an owned array such as `Array2<f32>`, or an `Option` of one",
    note = "arrays are those of `pytriton::ndarray`, and `f16` and `bf16` those of `pytriton`"
)]
pub trait Output: FromTensor + Send + 'static {
    /// The element type.
    #[doc(hidden)]
    const DATATYPE: DataType;
    /// The number of dimensions, or `None` for arrays of any rank.
    #[doc(hidden)]
    const RANK: Option<usize>;
    /// Whether a response may omit the output.
    #[doc(hidden)]
    const OPTIONAL: bool = false;

    /// Converts the array to the next output of a response, or omits that output.
    #[doc(hidden)]
    fn write(self, writer: &mut OutputWriter<'_>);
}

impl<T: Element, D: Dimension + 'static> Output for Array<T, D> {
    const DATATYPE: DataType = T::DATATYPE;
    const RANK: Option<usize> = D::NDIM;

    fn write(self, writer: &mut OutputWriter<'_>) {
        writer.array(self);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, D: Dimension + 'static> Output for Option<Array<T, D>> {
    const DATATYPE: DataType = T::DATATYPE;
    const RANK: Option<usize> = D::NDIM;
    const OPTIONAL: bool = true;

    fn write(self, writer: &mut OutputWriter<'_>) {
        match self {
            Some(array) => writer.array(array),
            None => writer.omit(),
        }
    }
}

/// A return type of a function: an array, a tuple of arrays, a struct that derives `Outputs`, or a
/// `Result` of one of them. Each array may be an `Option`, whose `None` omits the output.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned by a model",
    label = "not an output",
    note = "return an owned array such as `Array2<f32>`, a tuple of arrays, a struct that derives `pytriton::Outputs`, or a `Result` of one of them",
    note = "to stream responses, return `impl Iterator<Item = Array2<f32>>` or `impl Stream<Item = Array2<f32>>`, also for a boxed iterator or stream",
    note = "arrays are those of `pytriton::ndarray`, and `f16` and `bf16` those of `pytriton`"
)]
pub trait Outputs {
    /// The outputs in order, with their default names.
    #[doc(hidden)]
    const DECLARATIONS: &'static [TensorDeclaration];

    /// Converts the return value to one tensor for each declaration, and response parameters.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the value is an error, and [`ModelError::Budget`] if the
    /// memory of an output cannot be reserved.
    #[doc(hidden)]
    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError>;
}

impl<T: Element, D: Dimension + 'static> Outputs for Array<T, D> {
    const DECLARATIONS: &'static [TensorDeclaration] = &[declaration::<Self>("OUTPUT_1")];

    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        writer.only(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, D: Dimension + 'static> Outputs for Option<Array<T, D>> {
    const DECLARATIONS: &'static [TensorDeclaration] = &[declaration::<Self>("OUTPUT_1")];

    fn into_parts(self, mut writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        writer.write(self);
        writer.finish()
    }
}

impl<O: Outputs, E: FunctionError> Outputs for Result<O, E> {
    const DECLARATIONS: &'static [TensorDeclaration] = O::DECLARATIONS;

    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        self.map_err(|error| function_error(writer.model(), &error))?
            .into_parts(writer)
    }
}

macro_rules! tuple_outputs {
    ($($type:ident $field:tt $name:literal),+) => {
        #[diagnostic::do_not_recommend]
        impl<$($type: Output),+> Outputs for ($($type,)+) {
            const DECLARATIONS: &'static [TensorDeclaration] = &[$(declaration::<$type>($name)),+];

            fn into_parts(
                self,
                mut writer: OutputWriter<'_>,
            ) -> Result<ResponseParts, ModelError> {
                $(writer.write(self.$field);)+
                writer.finish()
            }
        }
    };
}

tuple_outputs!(A 0 "OUTPUT_1");
tuple_outputs!(A 0 "OUTPUT_1", B 1 "OUTPUT_2");
tuple_outputs!(A 0 "OUTPUT_1", B 1 "OUTPUT_2", C 2 "OUTPUT_3");
tuple_outputs!(A 0 "OUTPUT_1", B 1 "OUTPUT_2", C 2 "OUTPUT_3", D 3 "OUTPUT_4");
tuple_outputs!(A 0 "OUTPUT_1", B 1 "OUTPUT_2", C 2 "OUTPUT_3", D 3 "OUTPUT_4", E 4 "OUTPUT_5");
tuple_outputs!(A 0 "OUTPUT_1", B 1 "OUTPUT_2", C 2 "OUTPUT_3", D 3 "OUTPUT_4", E 4 "OUTPUT_5", F 5 "OUTPUT_6");
tuple_outputs!(A 0 "OUTPUT_1", B 1 "OUTPUT_2", C 2 "OUTPUT_3", D 3 "OUTPUT_4", E 4 "OUTPUT_5", F 5 "OUTPUT_6", G 6 "OUTPUT_7");
tuple_outputs!(A 0 "OUTPUT_1", B 1 "OUTPUT_2", C 2 "OUTPUT_3", D 3 "OUTPUT_4", E 4 "OUTPUT_5", F 5 "OUTPUT_6", G 6 "OUTPUT_7", H 7 "OUTPUT_8");

/// A return type of a raw function: one entry for each request.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned by a model that takes `&[Request]`",
    label = "not one response for each request",
    note = "return a `Vec` with one entry for each request, such as `Vec<Array2<f32>>`, or a `Result` of one",
    note = "arrays are those of `pytriton::ndarray`, and `f16` and `bf16` those of `pytriton`"
)]
pub trait EachOutputs {
    /// The outputs of one entry.
    #[doc(hidden)]
    const DECLARATIONS: &'static [TensorDeclaration];

    /// Converts the return value to a response or an error for each request.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the value is one error for all requests.
    #[doc(hidden)]
    fn into_responses(
        self,
        writer: OutputWriter<'_>,
    ) -> Result<Vec<Result<ResponseParts, ModelError>>, ModelError>;
}

impl<O: Outputs> EachOutputs for Vec<O> {
    const DECLARATIONS: &'static [TensorDeclaration] = O::DECLARATIONS;

    fn into_responses(
        self,
        writer: OutputWriter<'_>,
    ) -> Result<Vec<Result<ResponseParts, ModelError>>, ModelError> {
        Ok(self
            .into_iter()
            .map(|outputs| outputs.into_parts(writer.restart()))
            .collect())
    }
}

impl<R: EachOutputs, E: FunctionError> EachOutputs for Result<R, E> {
    const DECLARATIONS: &'static [TensorDeclaration] = R::DECLARATIONS;

    fn into_responses(
        self,
        writer: OutputWriter<'_>,
    ) -> Result<Vec<Result<ResponseParts, ModelError>>, ModelError> {
        self.map_err(|error| function_error(writer.model(), &error))?
            .into_responses(writer)
    }
}

/// The error type of a `Result`: any type that can be displayed to the client.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a model",
    label = "cannot be shown to a client",
    note = "implement `Display` for it, or return `Result<_, String>`"
)]
pub trait FunctionError: Display {}

#[diagnostic::do_not_recommend]
impl<E: Display> FunctionError for E {}

/// Returns the declaration of an output type with this name.
pub const fn declaration<O: Output>(name: &'static str) -> TensorDeclaration {
    TensorDeclaration {
        name,
        datatype: O::DATATYPE,
        rank: O::RANK,
        shape: None,
        optional: O::OPTIONAL,
        description: "",
        example: &[],
        labels: "",
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array, s};

    use crate::tensor::Tensor;
    use crate::testing::heap;
    use crate::tracked_tensor::TrackedTensor;

    use super::*;

    fn tensor(output: impl Output) -> Option<Tensor> {
        let spec = crate::testing::IDENTITY.spec().unwrap();
        let mut writer = OutputWriter::new(&spec, None);
        writer.write(output);
        let tensor = writer.finish().unwrap().tensors[0].take()?;
        Some(tensor.into_tensor())
    }

    #[test]
    fn texts_are_encoded_into_one_buffer_of_their_size() {
        let texts = Array1::from_elem(10_000, "0123456789".to_owned());
        let (tensor, peak) = heap::peak(|| tensor(texts).unwrap());
        assert_eq!(tensor.data().len(), 140_000);
        assert!(peak < 142_000, "{peak}");
    }

    #[test]
    fn optional_outputs_are_declared_and_omitted() {
        type Pair = (Array1<f32>, Option<Array1<i64>>);
        let optional = |declarations: &[TensorDeclaration]| {
            let declarations = declarations.iter();
            let declarations = declarations.map(|it| (it.name, it.datatype, it.rank, it.optional));
            declarations.collect::<Vec<_>>()
        };
        let one = optional(<Option<Array1<i64>> as Outputs>::DECLARATIONS);
        assert_eq!(one, [("OUTPUT_1", DataType::Int64, Some(1), true)]);
        let pair = optional(Pair::DECLARATIONS);
        assert_eq!(pair[0], ("OUTPUT_1", DataType::Fp32, Some(1), false));
        assert_eq!(pair[1], ("OUTPUT_2", DataType::Int64, Some(1), true));

        let spec = crate::testing::IDENTITY.spec().unwrap();
        for extra in [None, Some(array![7])] {
            let tensor = extra.clone().and_then(tensor).map(TrackedTensor::from);
            let writer = OutputWriter::new(&spec, None);
            let parts = (array![1.0_f32], extra.clone()).into_parts(writer).unwrap();
            assert!(parts.tensors[0].is_some());
            assert_eq!(parts.tensors[1], tensor);
            let parts = extra.into_parts(OutputWriter::new(&spec, None)).unwrap();
            assert_eq!(*parts.tensors, [tensor]);
        }
    }

    #[test]
    fn arrays_of_any_layout_become_row_major_tensors() {
        let full = array![[1_i32, 2, 3], [4, 5, 6]];
        let table = [
            (full.clone(), vec![1, 2, 3, 4, 5, 6]),
            (full.clone().reversed_axes(), vec![1, 4, 2, 5, 3, 6]),
            (full.clone().slice_move(s![1.., ..]), vec![4, 5, 6]),
            (full.clone().slice_move(s![.., 1..2]), vec![2, 5]),
            (full.slice_move(s![..;-1, ..]), vec![4, 5, 6, 1, 2, 3]),
        ];
        for (array, expected) in table {
            let shape = array.shape().to_vec();
            let tensor = tensor(array).unwrap();
            assert_eq!(tensor.shape(), shape);
            assert_eq!(tensor.elements::<i32>().unwrap(), expected);
        }
    }
}
