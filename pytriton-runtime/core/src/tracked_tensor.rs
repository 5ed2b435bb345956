//! A tensor whose memory is reserved.

use std::ops::{Deref, Range};
use std::sync::Arc;

use bytes::Bytes;
use thiserror::Error;

use crate::memory_budget::{MIN_TRACKED_BYTES, MemoryBudget, MemoryBudgetError, MemoryPermit};
use crate::tensor::{DataType, Dims, Tensor, TensorError, rows, slice_rows, split, stack};
use crate::tracked_bytes::TrackedBytes;
use crate::uncounted::Uncounted;

/// A tensor whose memory is reserved for as long as any part of it exists.
///
/// Requests and responses consist of these. A constructor takes a reservation, a budget, a tensor
/// with a reservation, or the reason why the memory is not counted. A plain [`Tensor`], as clients
/// and functions create it, has no reservation.
///
/// # Examples
///
/// ```
/// use pytriton_core::memory_budget::MemoryBudget;
/// use pytriton_core::tensor::Tensor;
/// use pytriton_core::tracked_tensor::TrackedTensor;
///
/// let budget = MemoryBudget::new(1 << 20);
/// let tensor = Tensor::from_elements(vec![2, 4096], vec![0_u8; 8192])?;
/// let tensor = TrackedTensor::reserved(tensor, Some(&budget)).unwrap();
/// let row = tensor.rows_from(1, 1)?;
/// drop(tensor);
/// assert_eq!((row.rows(), budget.reserved()), (1, 8192));
/// # Ok::<(), pytriton_core::tensor::TensorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackedTensor(Tensor);

/// Why tensors could not be stacked.
#[derive(Debug, Error)]
pub enum StackError {
    /// Their types or shapes differ.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// Their memory cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
}

impl TrackedTensor {
    /// Attaches a reservation to a tensor. `permit` grows if it does not cover the bytes yet.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved. The tensor is dropped then.
    #[inline]
    pub fn new(tensor: Tensor, mut permit: MemoryPermit) -> Result<Self, MemoryBudgetError> {
        permit.grow_to(tensor.data().len())?;
        Ok(match permit.is_counted() {
            true => Self(tensor.map_data(|data| TrackedBytes::covered(data, permit).into_bytes())),
            false => Self(tensor),
        })
    }

    /// A tensor of bytes, which keep their reservation.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if the bytes do not match the shape exactly.
    pub fn of_bytes(
        datatype: DataType,
        shape: impl Into<Dims>,
        bytes: TrackedBytes,
    ) -> Result<Self, TensorError> {
        Tensor::new(datatype, shape, bytes.into_bytes()).map(Self)
    }

    /// A tensor of bytes that `permit` covers, alone or together with others. `None` if they are
    /// not counted.
    #[inline]
    pub(crate) fn of_shared(
        bytes: Bytes,
        permit: Option<&Arc<MemoryPermit>>,
        datatype: DataType,
        shape: impl Into<Dims>,
    ) -> Result<Self, TensorError> {
        let bytes = match permit {
            Some(permit) => TrackedBytes::shared(bytes, permit).into_bytes(),
            None => bytes,
        };
        Tensor::new(datatype, shape, bytes).map(Self)
    }

    /// Reserves the memory of a tensor that exists already. Without a budget, it is not counted.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn reserved(
        tensor: Tensor,
        budget: Option<&Arc<MemoryBudget>>,
    ) -> Result<Self, MemoryBudgetError> {
        match budget.filter(|_| tensor.data().len() >= MIN_TRACKED_BYTES) {
            Some(budget) => Self::new(tensor, budget.empty_permit()),
            None => Ok(Self(tensor)),
        }
    }

    /// A tensor whose memory is in no budget, for one of a few reasons.
    pub const fn uncounted(tensor: Tensor, _: Uncounted) -> Self {
        Self(tensor)
    }

    /// One of several tensors that `permit` covers together. `None` if nothing of it is counted.
    pub(crate) fn shared(tensor: Tensor, permit: Option<&Arc<MemoryPermit>>) -> Self {
        Self(match permit {
            Some(permit) => tensor.map_data(|data| TrackedBytes::shared(data, permit).into_bytes()),
            None => tensor,
        })
    }

    /// Returns a tensor whose bytes are a part of those of one of `others`, which are reserved.
    ///
    /// # Errors
    ///
    /// Returns the tensor otherwise.
    pub fn part_of<'t>(
        tensor: Tensor,
        others: impl IntoIterator<Item = &'t Self>,
    ) -> Result<Self, Tensor> {
        let mut others = others.into_iter();
        match others.any(|other| tensor.is_part_of(&other.0)) {
            true => Ok(Self(tensor)),
            false => Err(tensor),
        }
    }

    /// Returns the tensor, which keeps its reservation.
    pub fn into_tensor(self) -> Tensor {
        self.0
    }

    /// Returns the bytes, which keep their reservation.
    pub fn tracked_data(&self) -> TrackedBytes {
        TrackedBytes::reserved(self.0.data().clone())
    }

    /// Returns `count` rows after the first `skip` rows. They share the bytes and the reservation.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::ElementCount`] if the tensor has fewer rows.
    pub fn rows_from(&self, skip: usize, count: usize) -> Result<Self, TensorError> {
        rows(&self.0, skip, count).map(Self)
    }

    /// Returns the `count` rows in a range of the bytes. They share the bytes and the reservation.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::ByteSize`] if the range is not the size of these rows.
    pub fn slice_rows(&self, count: usize, bytes: Range<usize>) -> Result<Self, TensorError> {
        slice_rows(&self.0, count, bytes).map(Self)
    }

    /// Splits the tensor along axis 0 into parts with the given numbers of rows. The parts share
    /// the bytes and the reservation.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::ElementCount`] if the rows do not add up to axis 0.
    pub fn split(&self, rows: &[usize]) -> Result<Vec<Self>, TensorError> {
        let parts = split(&self.0, rows)?;
        Ok(parts.into_iter().map(Self).collect())
    }

    /// Returns the same elements with another shape. They share the bytes and the reservation.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::ElementCount`] if the shape has another number of elements.
    pub fn reshaped(&self, shape: impl Into<Dims>) -> Result<Self, TensorError> {
        self.0.reshaped(shape).map(Self)
    }

    /// Concatenates tensors along axis 0. The memory of the new buffer is reserved first. A single
    /// tensor is returned without a copy.
    ///
    /// # Errors
    ///
    /// Returns [`StackError`] if the tensors do not stack, or the memory cannot be reserved.
    pub fn stack<'t>(
        tensors: impl Iterator<Item = &'t Self> + Clone,
        budget: Option<&Arc<MemoryBudget>>,
    ) -> Result<Self, StackError> {
        let mut first = tensors.clone();
        if let (Some(only), None) = (first.next(), first.next()) {
            return Ok(only.clone());
        }
        let bytes = tensors.clone().map(|tensor| tensor.data().len());
        let mut permit = MemoryPermit::within(budget);
        permit.grow(bytes.fold(0, usize::saturating_add))?;
        let stacked = stack(tensors.map(|tensor| &tensor.0))?;
        Ok(Self::new(stacked, permit)?)
    }
}

impl Deref for TrackedTensor {
    type Target = Tensor;

    #[inline]
    fn deref(&self) -> &Tensor {
        &self.0
    }
}

/// For tests, whose tensors need no reservation.
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
impl From<Tensor> for TrackedTensor {
    fn from(tensor: Tensor) -> Self {
        Self(tensor)
    }
}

#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
impl PartialEq<Tensor> for TrackedTensor {
    fn eq(&self, other: &Tensor) -> bool {
        self.0 == *other
    }
}
