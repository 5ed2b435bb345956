//! Python arrays whose elements are read without the GIL.
//!
//! # Safety
//!
//! A reference to an array keeps its elements in place: numpy keeps the elements at one address as
//! long as the array exists. It refuses to resize an array that others refer to. The exception is
//! `refcheck=False`, after which no view of it may be used.
//!
//! A call that borrows an array neither returns nor raises before the function has returned: see
//! `borrow_scope`. Meanwhile the caller must not let another thread write to the array. The same
//! holds for numpy's own functions, which also release the GIL; `docs/python.md` states this. All
//! borrowed elements are numbers, for which any bit pattern is valid.

use std::slice;

use bytes::Bytes;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::borrow_scope::BorrowToken;

/// The bytes of an array, and the reference that keeps them in place.
struct BorrowedBuffer {
    _array: Py<PyArray1<u8>>,
    start: *const u8,
    length: usize,
    _token: BorrowToken,
}

// SAFETY: the pointer is only read, which is allowed from any thread; `Py` and `BorrowToken` can be
// sent to and dropped on any thread.
unsafe impl Send for BorrowedBuffer {}

impl AsRef<[u8]> for BorrowedBuffer {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `start` and `length` come from a slice of the array, and `self` keeps the array
        // alive.
        unsafe { slice::from_raw_parts(self.start, self.length) }
    }
}

/// Returns the bytes of an array; a copy if `token` is `None`.
///
/// # Errors
///
/// Raises `ValueError` if the bytes are not contiguous, or if the array is mutably borrowed.
pub(crate) fn borrow_bytes(
    array: &Bound<'_, PyArray1<u8>>,
    token: Option<&BorrowToken>,
) -> PyResult<Bytes> {
    let borrowed = array.try_readonly()?;
    let bytes = borrowed.as_slice()?;
    let Some(token) = token else {
        return Ok(Bytes::copy_from_slice(bytes));
    };
    Ok(Bytes::from_owner(BorrowedBuffer {
        _array: array.clone().unbind(),
        start: bytes.as_ptr(),
        length: bytes.len(),
        _token: token.clone(),
    }))
}
