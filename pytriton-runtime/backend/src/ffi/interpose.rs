//! Readiness for servers that do not query their backends. Before 25.12 a model, and before 26.04 a
//! server, reports itself as ready regardless of the state of its instances.
//!
//! The parent process of such a server preloads this library (`LD_PRELOAD`), so that these two
//! functions take precedence over the ones that they call. In a library that is loaded only as a
//! backend they are never called.

use std::ffi::{CStr, c_char, c_void};
use std::mem;
use std::sync::OnceLock;

use super::api::next;
use super::raw::RawError;
use crate::readiness;

type ServerIsReady = unsafe extern "C" fn(*mut c_void, *mut bool) -> *mut RawError;
type ModelIsReady =
    unsafe extern "C" fn(*mut c_void, *const c_char, i64, *mut bool) -> *mut RawError;

/// `TRITONSERVER_ServerIsReady`: the server's own result, unless one of our models is not ready.
#[unsafe(no_mangle)]
unsafe extern "C" fn TRITONSERVER_ServerIsReady(
    server: *mut c_void,
    ready: *mut bool,
) -> *mut RawError {
    static REAL: OnceLock<usize> = OnceLock::new();
    let real = *REAL.get_or_init(|| next(c"TRITONSERVER_ServerIsReady").addr());
    if real == 0 {
        std::process::abort();
    }
    // SAFETY: not null, and the function of that name in Triton's library, which has this type.
    let real = unsafe { mem::transmute::<*const c_void, ServerIsReady>(real as *const c_void) };
    // SAFETY: the arguments are the caller's.
    let error = unsafe { real(server, ready) };
    if error.is_null() && !readiness::of_all() {
        // SAFETY: valid for writes, as the call above has written it.
        unsafe { *ready = false };
    }
    error
}

/// `TRITONSERVER_ServerModelIsReady`: the server's own result, unless the model is ours and is not
/// ready.
#[unsafe(no_mangle)]
unsafe extern "C" fn TRITONSERVER_ServerModelIsReady(
    server: *mut c_void,
    model: *const c_char,
    version: i64,
    ready: *mut bool,
) -> *mut RawError {
    static REAL: OnceLock<usize> = OnceLock::new();
    let real = *REAL.get_or_init(|| next(c"TRITONSERVER_ServerModelIsReady").addr());
    if real == 0 {
        std::process::abort();
    }
    // SAFETY: as above.
    let real = unsafe { mem::transmute::<*const c_void, ModelIsReady>(real as *const c_void) };
    // SAFETY: the arguments are the caller's.
    let error = unsafe { real(server, model, version, ready) };
    if !error.is_null() || model.is_null() {
        return error;
    }
    // SAFETY: a string that ends with a zero byte; the call above has read it.
    let name = unsafe { CStr::from_ptr(model) };
    if !readiness::of(&name.to_string_lossy(), version) {
        // SAFETY: as above.
        unsafe { *ready = false };
    }
    error
}
