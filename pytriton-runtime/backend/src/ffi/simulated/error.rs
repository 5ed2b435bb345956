use std::ffi::{CStr, CString, c_char};

use crate::ffi::raw::RawError;

/// An error with Triton's code and its message.
#[derive(Debug)]
pub(super) struct SimulatedError {
    pub(super) code: i32,
    pub(super) message: CString,
}

pub(super) unsafe extern "C" fn error_new(code: i32, message: *const c_char) -> *mut RawError {
    // SAFETY: a string that ends with a zero byte.
    let message = unsafe { CStr::from_ptr(message) }.to_owned();
    Box::into_raw(Box::new(SimulatedError { code, message })).cast()
}

pub(super) unsafe extern "C" fn error_message(error: *mut RawError) -> *const c_char {
    // SAFETY: created by `error_new`.
    unsafe { &*error.cast::<SimulatedError>() }.message.as_ptr()
}

pub(super) unsafe extern "C" fn error_delete(error: *mut RawError) {
    // SAFETY: created by `error_new`, and not used any more.
    drop(unsafe { Box::from_raw(error.cast::<SimulatedError>()) });
}
