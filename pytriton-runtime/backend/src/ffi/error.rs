use std::ffi::{CStr, CString};

use super::api::Basics;
use super::raw::RawError;
use crate::failure::Failure;

/// An error object of Triton that this library owns.
#[derive(Debug)]
pub(super) struct OwnError {
    basics: &'static Basics,
    raw: *mut RawError,
}

impl OwnError {
    /// Creates an error from a failure.
    pub(super) fn new(failure: &Failure, basics: &'static Basics) -> Self {
        let raw = to_raw(failure, basics);
        Self { basics, raw }
    }

    /// Returns the error, which lives as long as this value.
    pub(super) fn raw(&self) -> *mut RawError {
        self.raw
    }
}

impl Drop for OwnError {
    fn drop(&mut self) {
        // SAFETY: the error was created for this value, which is not used any more.
        unsafe { (self.basics.error_delete)(self.raw) };
    }
}

/// Converts a failure to an error object whose ownership passes to Triton.
pub(super) fn to_raw(failure: &Failure, basics: &Basics) -> *mut RawError {
    // Only a zero byte would end the text early.
    let text = CString::new(failure.message.replace('\0', " ")).unwrap_or_default();
    // SAFETY: `text` ends with a zero byte and outlives the call, which copies it.
    unsafe { (basics.error_new)(failure.code as i32, text.as_ptr()) }
}

/// Converts the return value of a function of Triton to a result. An error is deleted.
pub(super) fn check(basics: &Basics, error: *mut RawError) -> Result<(), Failure> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: `error` is not null, and the caller owns errors that Triton returns.
    let message = unsafe { (basics.error_message)(error) };
    // SAFETY: Triton's messages end with a zero byte and live as long as their error, which is
    // deleted below.
    let message = unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: `error` is owned by the caller, not null, and not used any more.
    unsafe { (basics.error_delete)(error) };
    Err(Failure::internal(message))
}
