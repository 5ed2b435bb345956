use std::ffi::{CStr, CString, c_char};

use crate::error::{Code, CoreError};

use super::api::{Basics, Error};

/// Converts the return value of a function of Triton to a result. An error is deleted.
pub(super) fn check(basics: &Basics, error: Error) -> Result<(), CoreError> {
    if error.is_null() {
        return Ok(());
    }
    let result = read(basics, error);
    // SAFETY: the caller owns errors that Triton returns; it is not used any more.
    unsafe { (basics.error_delete)(error) };
    Err(result)
}

/// Returns the contents of an error, which is not null.
fn read(basics: &Basics, error: Error) -> CoreError {
    // SAFETY: the error is not null and lives until the caller deletes it.
    let code = unsafe { (basics.error_code)(error) };
    // SAFETY: as above.
    let message = unsafe { (basics.error_message)(error) };
    CoreError::Triton {
        code: Code::from_number(code),
        // SAFETY: the message lives as long as its error.
        message: unsafe { text(message) },
    }
}

/// Creates an error whose ownership passes to Triton.
pub(super) fn to_raw(basics: &Basics, code: Code, message: &str) -> Error {
    // Only a zero byte would end the text early.
    let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // SAFETY: `text` ends with a zero byte and outlives the call, which copies it.
    unsafe { (basics.error_new)(code.number(), text.as_ptr()) }
}

/// Copies a text of Triton. Null is an empty text.
///
/// # Safety
///
/// The text is null, or it ends with a zero byte and does not change during the call.
pub(super) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees it.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}

/// Converts a text for Triton. `what` names it in the error.
pub(super) fn c_text(text: &str, what: &'static str) -> Result<CString, CoreError> {
    CString::new(text).map_err(|_| CoreError::ZeroByte { what })
}
