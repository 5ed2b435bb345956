use std::ffi::{CStr, CString};

use super::api::Basics;
use super::raw::RawError;
use crate::failure::Failure;

/// An error of Triton's that stays this library's.
#[derive(Debug)]
pub(super) struct OwnError {
    basics: &'static Basics,
    raw: *mut RawError,
}

impl OwnError {
    /// The failure as an error.
    pub(super) fn new(failure: &Failure, basics: &'static Basics) -> Self {
        let raw = to_raw(failure, basics);
        Self { basics, raw }
    }

    /// The error, which lives as long as this.
    pub(super) fn raw(&self) -> *mut RawError {
        self.raw
    }
}

impl Drop for OwnError {
    fn drop(&mut self) {
        // SAFETY: the error was made for this value, which nobody has any more.
        unsafe { (self.basics.error_delete)(self.raw) };
    }
}

/// The failure as an object of Triton's, to be handed over to it.
pub(super) fn to_raw(failure: &Failure, basics: &Basics) -> *mut RawError {
    // A zero byte would end the text; everything else may stand in it.
    let text = CString::new(failure.message.replace('\0', " ")).unwrap_or_default();
    // SAFETY: `text` ends with a zero byte and outlives the call, which copies it.
    unsafe { (basics.error_new)(failure.code as i32, text.as_ptr()) }
}

/// Turns what a function of Triton returned into a result; the error, if any, is taken over and deleted.
pub(super) fn check(basics: &Basics, error: *mut RawError) -> Result<(), Failure> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: `error` is not null, and Triton gives errors that it returns to the caller.
    let message = unsafe { (basics.error_message)(error) };
    // SAFETY: Triton's messages end with a zero byte and live as long as their error, which is deleted below.
    let message = unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: `error` is the caller's, not null, and is not used any more.
    unsafe { (basics.error_delete)(error) };
    Err(Failure::internal(message))
}
