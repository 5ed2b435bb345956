//! Bytes whose memory is reserved.

use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;

use crate::memory_budget::{MIN_TRACKED_BYTES, MemoryBudgetError, MemoryPermit};
use crate::uncounted::Uncounted;

/// The maximum size of a [short](TrackedBytes::short) text. JSON and protobuf with the longest
/// error message fit.
const MAX_SHORT_BYTES: usize = 16 << 10;

/// Bytes whose memory is reserved for as long as any slice of them exists.
///
/// Response bodies consist of these, and each constructor takes a permit, the data of a tensor, or
/// bytes whose size is limited. So nothing of a client's or a function's size can be sent without a
/// reservation. Uncounted memory needs a reason, see [`uncounted`](Self::uncounted).
///
/// [`into_bytes`](Self::into_bytes) returns plain [`Bytes`]. The reservation stays attached to the
/// buffer and to all of its slices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrackedBytes(Bytes);

impl TrackedBytes {
    /// Attaches a reservation to bytes. `permit` grows if it does not cover them yet.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved. The bytes are dropped then.
    pub fn new(bytes: Bytes, mut permit: MemoryPermit) -> Result<Self, MemoryBudgetError> {
        permit.grow_to(bytes.len())?;
        Ok(Self::covered(bytes, permit))
    }

    /// Attaches a reservation to the bytes of any owner, such as a buffer that a foreign library
    /// has filled. `permit` grows if it does not cover them yet.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn from_owner(
        owner: impl AsRef<[u8]> + Send + 'static,
        mut permit: MemoryPermit,
    ) -> Result<Self, MemoryBudgetError> {
        permit.grow_to(owner.as_ref().len())?;
        Ok(Self(Bytes::from_owner(Owner {
            bytes: owner,
            _permit: permit,
        })))
    }

    /// Bytes of a value that also contains their reservation.
    pub(crate) fn covered(bytes: Bytes, permit: MemoryPermit) -> Self {
        match permit.is_counted() {
            true => Self(Bytes::from_owner(Owner {
                bytes,
                _permit: permit,
            })),
            false => Self(bytes),
        }
    }

    /// Creates bytes that no memory budget counts, for the given reason.
    pub const fn uncounted(bytes: Bytes, _: Uncounted) -> Self {
        Self(bytes)
    }

    /// One of several values that `permit` covers together.
    pub(crate) fn shared(bytes: Bytes, permit: &Arc<MemoryPermit>) -> Self {
        Self(Bytes::from_owner(Owner {
            bytes,
            _permit: Arc::clone(permit),
        }))
    }

    /// Returns the bytes, which keep their reservation.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// Creates bytes that need no reservation.
    pub const fn from_static(bytes: &'static [u8]) -> Self {
        Self(Bytes::from_static(bytes))
    }

    /// Copies a text whose size does not depend on clients or functions, such as an error. It needs
    /// no reservation, because it is cut off after 16 KiB.
    pub fn short(text: &[u8]) -> Self {
        let length = text.len().min(MAX_SHORT_BYTES);
        debug_assert_eq!(length, text.len(), "the text is too long");
        Self(Bytes::copy_from_slice(&text[..length]))
    }

    /// Copies bytes after reserving their memory in the budget of `permit`.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved.
    pub fn copied(bytes: &[u8], permit: &MemoryPermit) -> Result<Self, MemoryBudgetError> {
        if bytes.len() < MIN_TRACKED_BYTES {
            return Ok(Self(Bytes::copy_from_slice(bytes)));
        }
        let mut own = permit.sibling();
        own.grow(bytes.len())?;
        Self::new(Bytes::copy_from_slice(bytes), own)
    }

    /// Bytes that are part of a buffer with a reservation.
    pub(crate) fn reserved(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl Deref for TrackedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

struct Owner<B, P> {
    bytes: B,
    _permit: P,
}

impl<B: AsRef<[u8]>, P> AsRef<[u8]> for Owner<B, P> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use crate::memory_budget::MemoryBudget;

    use super::*;

    const KIB: usize = 1 << 10;

    #[test]
    fn bytes_are_reserved_until_their_last_slice_is_dropped() {
        let budget = MemoryBudget::new(100 * KIB);
        let permit = budget.permit(8 * KIB).unwrap();
        let bytes = TrackedBytes::new(Bytes::from(vec![7; 8 * KIB]), permit).unwrap();
        let some = bytes.into_bytes().slice(KIB..2 * KIB);
        assert_eq!((some[0], budget.reserved()), (7, 8 * KIB));
        drop(some);
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn bytes_without_a_reservation_are_reserved_or_refused() {
        // The size of the bytes, what their permit covers, and what is reserved for them.
        for (size, covered, expected) in [
            (0, 0, Some(0)),
            (KIB, 0, Some(0)),
            (8 * KIB, 0, Some(8 * KIB)),
            (8 * KIB, 5 * KIB, Some(8 * KIB)),
            (8 * KIB, 9 * KIB, Some(9 * KIB)),
            (11 * KIB, 0, None),
            (11 * KIB, 9 * KIB, None),
        ] {
            let budget = MemoryBudget::new(10 * KIB);
            let permit = budget.permit(covered).unwrap();
            let bytes = TrackedBytes::new(Bytes::from(vec![7; size]), permit);
            assert_eq!(bytes.is_ok().then(|| budget.reserved()), expected, "{size}");
            drop(bytes);
            assert_eq!(budget.reserved(), 0);
        }
    }

    #[test]
    fn owner_of_bytes_lives_as_long_as_their_reservation() {
        let budget = MemoryBudget::new(10 * KIB);
        let owner = Arc::new([7; 8 * KIB]);
        struct Shared(Arc<[u8; 8 * KIB]>);
        impl AsRef<[u8]> for Shared {
            fn as_ref(&self) -> &[u8] {
                &self.0[..]
            }
        }
        let shared = || Shared(Arc::clone(&owner));
        let bytes = TrackedBytes::from_owner(shared(), budget.empty_permit()).unwrap();
        assert_eq!((bytes.len(), budget.reserved()), (8 * KIB, 8 * KIB));
        TrackedBytes::from_owner(shared(), budget.empty_permit()).unwrap_err();
        let some = bytes.into_bytes().slice(KIB..2 * KIB);
        assert_eq!((some[0], Arc::strong_count(&owner)), (7, 2));
        drop(some);
        assert_eq!((budget.reserved(), Arc::strong_count(&owner)), (0, 1));
    }

    #[test]
    fn a_copy_is_reserved_before_it_is_made() {
        let budget = MemoryBudget::new(8 * KIB);
        let permit = budget.empty_permit();
        let bytes = vec![7; 5 * KIB];
        let copy = TrackedBytes::copied(&bytes, &permit).unwrap();
        assert_eq!((&copy[..], budget.reserved()), (&bytes[..], 5 * KIB));
        TrackedBytes::copied(&bytes, &permit).unwrap_err();
        // Small copies are not counted.
        TrackedBytes::copied(&bytes[..KIB], &permit).unwrap();
        drop(copy);
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    #[cfg_attr(debug_assertions, should_panic(expected = "the text is too long"))]
    fn short_text_is_truncated_at_its_limit() {
        let text = TrackedBytes::short(&[7; 100 << 10]);
        assert_eq!(text.len(), MAX_SHORT_BYTES);
    }
}
