//! A received body with its reservation.

use std::ops::Deref;

use bytes::Bytes;

use crate::memory_budget::{MemoryBudgetError, MemoryPermit};
use crate::request::InferRequest;
use crate::tracked_bytes::TrackedBytes;

/// A complete body and the reservation of its memory.
///
/// They are separated only when another owner takes over the reservation.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// use pytriton_core::memory_budget::MemoryBudget;
/// use pytriton_core::received_body::ReceivedBody;
///
/// let budget = MemoryBudget::new(1 << 20);
/// let body = ReceivedBody::new(Bytes::from(vec![0; 8192]), budget.empty_permit())?;
/// assert_eq!((body.len(), budget.reserved()), (8192, 8192));
/// let (_bytes, request) = body.into_request();
/// assert_eq!(request.memory.bytes(), 8192);
/// # Ok::<(), pytriton_core::memory_budget::MemoryBudgetError>(())
/// ```
#[derive(Debug)]
pub struct ReceivedBody {
    bytes: Bytes,
    permit: MemoryPermit,
}

impl ReceivedBody {
    /// Creates a body. `permit` grows if it does not cover the bytes yet.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved.
    #[inline]
    pub fn new(bytes: Bytes, mut permit: MemoryPermit) -> Result<Self, MemoryBudgetError> {
        permit.grow_to(bytes.len())?;
        Ok(Self::with_permit(bytes, permit))
    }

    /// Creates a body that `permit` covers.
    pub(crate) fn with_permit(bytes: Bytes, permit: MemoryPermit) -> Self {
        Self { bytes, permit }
    }

    /// Creates the body of a request whose body is not read.
    pub fn empty(permit: MemoryPermit) -> Self {
        Self::with_permit(Bytes::new(), permit)
    }

    /// Returns the bytes, and the reservation for what is decoded from them.
    pub fn parts(&mut self) -> (&Bytes, &mut MemoryPermit) {
        (&self.bytes, &mut self.permit)
    }

    /// Returns the bytes, and an empty request that takes over their reservation.
    #[inline]
    pub fn into_request(self) -> (Bytes, InferRequest) {
        (self.bytes, InferRequest::new(self.permit))
    }

    /// Returns the bytes, which keep their reservation.
    pub fn into_tracked(self) -> TrackedBytes {
        TrackedBytes::covered(self.bytes, self.permit)
    }

    /// Returns the bytes and adds their reservation to `permit`.
    ///
    /// # Errors
    ///
    /// As [`MemoryPermit::absorb`].
    #[inline]
    pub fn transfer_to(self, permit: &mut MemoryPermit) -> Result<Bytes, MemoryBudgetError> {
        permit.absorb(self.permit)?;
        Ok(self.bytes)
    }
}

impl Deref for ReceivedBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}
