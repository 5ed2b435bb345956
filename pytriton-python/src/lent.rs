//! Arrays of Python's whose elements are read while its lock is free.
//!
//! # Safety
//!
//! numpy keeps the elements of an array in one place as long as the array is there, and refuses to resize one that others
//! refer to (but for `refcheck=False`, after which no view of it may be used). So a reference to the array keeps
//! them where they are. A call that lends an array does not return, nor raise, before the function has: see `loan`. That no
//! other thread writes to it meanwhile is the caller's promise, as it is to numpy's own functions, which let go of the lock too:
//! `docs/python.md` says so. All elements that are lent are numbers, which any bits are.

use std::slice;

use bytes::Bytes;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::loan::Lender;

/// The bytes of an array, and what keeps them there.
struct Lent {
    _array: Py<PyArray1<u8>>,
    start: *const u8,
    length: usize,
    _lender: Lender,
}

// SAFETY: the pointer is to bytes that are read alone, wherever; `Py` and `Lender` can be sent and dropped anywhere.
unsafe impl Send for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `start` and `length` are those of a slice of the array's, which lives as long as this does.
        unsafe { slice::from_raw_parts(self.start, self.length) }
    }
}

/// The bytes of an array: a copy where nobody lends them.
///
/// # Errors
///
/// `ValueError` when the bytes do not follow each other, or something else is writing to them.
pub(crate) fn lent(array: &Bound<'_, PyArray1<u8>>, lender: Option<&Lender>) -> PyResult<Bytes> {
    let borrowed = array.try_readonly()?;
    let bytes = borrowed.as_slice()?;
    let Some(lender) = lender else {
        return Ok(Bytes::copy_from_slice(bytes));
    };
    Ok(Bytes::from_owner(Lent {
        _array: array.clone().unbind(),
        start: bytes.as_ptr(),
        length: bytes.len(),
        _lender: lender.clone(),
    }))
}
