use ::bytes::Bytes;

use super::{BytesElements, DataType, Dims, Element, TensorError, element_count, shape_text};

/// Elements of one datatype with a shape. Clones share the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    datatype: DataType,
    shape: Dims,
    data: Bytes,
}

impl Tensor {
    /// Creates a tensor from bytes in the format of the KServe binary extension.
    ///
    /// It reserves no memory. The requests and responses of a server consist of `TrackedTensor` of
    /// `pytriton-core`, which does.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if the bytes do not match the shape exactly.
    ///
    /// # Examples
    ///
    /// ```
    /// # use bytes::Bytes;
    /// # use pytriton_protocol::tensor::{DataType, Tensor};
    /// let data = Bytes::from_static(&[1, 0, 2, 0]);
    /// let tensor = Tensor::new(DataType::Int16, vec![2], data).unwrap();
    /// assert_eq!(tensor.elements::<i16>().unwrap(), vec![1, 2]);
    /// assert!(Tensor::new(DataType::Int16, vec![2], Bytes::from_static(&[1, 0])).is_err());
    /// ```
    #[inline]
    pub fn new(
        datatype: DataType,
        shape: impl Into<Dims>,
        data: Bytes,
    ) -> Result<Self, TensorError> {
        let shape = shape.into();
        let count = element_count(&shape)?;
        match datatype.size() {
            Some(size) => check_byte_size(datatype, &shape, count.checked_mul(size), data.len())?,
            None => check_elements(&shape, count, &data)?,
        }
        Ok(Self {
            datatype,
            shape,
            data,
        })
    }

    /// Creates a tensor from elements in row-major order.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if their number does not match the shape.
    pub fn from_elements<T: Element>(
        shape: impl Into<Dims>,
        elements: Vec<T>,
    ) -> Result<Self, TensorError> {
        let shape = shape.into();
        let expected = element_count(&shape)?;
        if elements.len() != expected {
            return Err(TensorError::ElementCount {
                shape: shape_text(&shape),
                expected,
                got: elements.len(),
            });
        }
        Ok(Self {
            datatype: T::DATATYPE,
            shape,
            data: T::encode(elements)?,
        })
    }

    /// Moves the bytes into the buffer that `wrap` returns for them.
    ///
    /// `wrap` must return the same bytes. It may attach an owner to the buffer, for example.
    #[must_use]
    pub fn map_data(self, wrap: impl FnOnce(Bytes) -> Bytes) -> Self {
        let length = self.data.len();
        let data = wrap(self.data);
        debug_assert_eq!(data.len(), length, "`wrap` must return the same bytes");
        Self { data, ..self }
    }

    /// Returns whether the bytes lie within those of another tensor.
    pub fn is_part_of(&self, whole: &Self) -> bool {
        let (part, whole) = (self.data.as_ptr_range(), whole.data.as_ptr_range());
        whole.start <= part.start && part.end <= whole.end
    }

    /// Creates a tensor whose bytes have already been validated as part of another tensor.
    pub(super) fn from_checked(datatype: DataType, shape: Dims, data: Bytes) -> Self {
        Self {
            datatype,
            shape,
            data,
        }
    }

    /// Copies the tensor into its own memory, so that it does not keep a larger buffer alive.
    pub fn detached(&self) -> Self {
        Self {
            data: Bytes::copy_from_slice(&self.data),
            ..self.clone()
        }
    }

    /// Returns the same elements with another shape.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::ElementCount`] if the shape has another number of elements.
    pub fn reshaped(&self, shape: impl Into<Dims>) -> Result<Self, TensorError> {
        let shape = shape.into();
        let (expected, got) = (element_count(&shape)?, element_count(&self.shape)?);
        if expected != got {
            return Err(TensorError::ElementCount {
                shape: shape_text(&shape),
                expected,
                got,
            });
        }
        Ok(Self::from_checked(self.datatype, shape, self.data.clone()))
    }

    /// Returns the datatype.
    #[inline]
    pub fn datatype(&self) -> DataType {
        self.datatype
    }

    /// Returns the dimensions, starting with axis 0.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the bytes of the elements: row-major, little-endian, `BYTES` with length prefixes.
    #[inline]
    pub fn data(&self) -> &Bytes {
        &self.data
    }

    /// Returns the size of axis 0; 1 for a tensor without dimensions.
    #[inline]
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }
}

#[inline]
fn check_byte_size(
    datatype: DataType,
    shape: &[usize],
    expected: Option<usize>,
    got: usize,
) -> Result<(), TensorError> {
    let shape = || shape_text(shape);
    let Some(expected) = expected else {
        return Err(TensorError::TooLarge { shape: shape() });
    };
    if expected != got {
        return Err(TensorError::ByteSize {
            datatype,
            shape: shape(),
            expected,
            got,
        });
    }
    Ok(())
}

fn check_elements(shape: &[usize], expected: usize, data: &[u8]) -> Result<(), TensorError> {
    let mut got = 0_usize;
    for element in BytesElements::new(data) {
        element?;
        got += 1;
    }
    if expected != got {
        return Err(TensorError::ElementCount {
            shape: shape_text(shape),
            expected,
            got,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_must_match_the_shape() {
        let four = || Bytes::from_static(&[1, 0, 0, 0]);
        let table = [
            (DataType::Fp32, vec![1], true),
            (DataType::Fp32, vec![], true),
            (DataType::Fp32, vec![2], false),
            (DataType::Fp32, vec![1, 0], false),
            (DataType::Fp32, vec![1 << 62, 4], false),
            (DataType::Fp64, vec![1 << 61], false),
            (DataType::Bytes, vec![1], false),
        ];
        for (datatype, shape, fits) in table {
            let got = Tensor::new(datatype, shape.clone(), four());
            assert_eq!(got.is_ok(), fits, "{datatype} {shape:?}");
        }
        let two = Bytes::from_static(&[0, 0, 0, 0, 0, 0, 0, 0]);
        assert!(Tensor::new(DataType::Bytes, vec![2], two).is_ok());
    }

    #[test]
    fn a_detached_tensor_does_not_share_the_bytes_of_the_other() {
        let tensor = Tensor::from_elements(vec![2], vec![1_i32, 2]).unwrap();
        let (shared, detached) = (tensor.clone(), tensor.detached());
        assert_eq!(detached, tensor);
        assert_eq!(shared.data().as_ptr(), tensor.data().as_ptr());
        assert_ne!(detached.data().as_ptr(), tensor.data().as_ptr());
        let mapped = shared.map_data(|data| Bytes::from(data.to_vec()));
        assert_eq!(mapped, tensor);
        assert_ne!(mapped.data().as_ptr(), tensor.data().as_ptr());
    }

    #[test]
    fn a_reshaped_tensor_has_as_many_elements() {
        let tensor = Tensor::from_elements(vec![2, 3], vec![0_u8; 6]).unwrap();
        let table: [(&[usize], bool); 4] = [
            (&[6], true),
            (&[3, 1, 2], true),
            (&[], false),
            (&[2, 4], false),
        ];
        for (shape, fits) in table {
            let got = tensor.reshaped(shape);
            assert_eq!(got.is_ok(), fits, "{shape:?}");
            if let Ok(got) = got {
                assert_eq!((got.shape(), got.data()), (shape, tensor.data()));
            }
        }
    }
}
