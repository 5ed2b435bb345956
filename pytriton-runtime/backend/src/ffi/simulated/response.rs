use std::ffi::{c_char, c_void};
use std::ptr;

use crate::ffi::raw::{RESPONSE_FINAL, RawError, RawFactory, RawOutput, RawRequest, RawResponse};

use super::SimulatedRequest;
use super::error::SimulatedError;
use super::request::request;

#[derive(Debug)]
struct SimulatedResponse {
    request: *const SimulatedRequest,
    bytes: [u8; 4],
}

pub(super) unsafe extern "C" fn response_new(
    response: *mut *mut RawResponse,
    raw: *mut RawRequest,
) -> *mut RawError {
    let made = Box::new(SimulatedResponse {
        request: raw.cast(),
        bytes: [0; 4],
    });
    // SAFETY: valid for writes.
    unsafe { response.write(Box::into_raw(made).cast()) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn response_delete(response: *mut RawResponse) -> *mut RawError {
    // SAFETY: created by `response_new`, and not used any more.
    drop(unsafe { Box::from_raw(response.cast::<SimulatedResponse>()) });
    ptr::null_mut()
}

/// The output of a response is the response itself.
pub(super) unsafe extern "C" fn response_output(
    response: *mut RawResponse,
    output: *mut *mut RawOutput,
    _: *const c_char,
    _: i32,
    _: *const i64,
    _: u32,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { output.write(response.cast()) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn output_buffer(
    output: *mut RawOutput,
    buffer: *mut *mut c_void,
    len: u64,
    _: *mut i32,
    _: *mut i64,
) -> *mut RawError {
    assert_eq!(len, 4);
    // SAFETY: created by `response_new`.
    let bytes = unsafe { &raw mut (*output.cast::<SimulatedResponse>()).bytes };
    // SAFETY: valid for writes.
    unsafe { buffer.write(bytes.cast()) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn response_send(
    response: *mut RawResponse,
    flags: u32,
    error: *mut RawError,
) -> *mut RawError {
    // SAFETY: created by `response_new`, and owned by Triton from here on.
    let response = unsafe { Box::from_raw(response.cast::<SimulatedResponse>()) };
    // SAFETY: created by `error_new`, or null.
    let outcome = match unsafe { error.cast::<SimulatedError>().as_ref() } {
        None => Ok(f32::from_le_bytes(response.bytes)),
        Some(error) => Err((error.code, error.message.to_string_lossy().into_owned())),
    };
    let request = request(response.request.cast());
    let before = request.outcome.lock().unwrap().replace(outcome);
    assert!(before.is_none() || flags != RESPONSE_FINAL, "{before:?}");
    ptr::null_mut()
}

/// The factory of a request is the request itself.
pub(super) unsafe extern "C" fn factory_new(
    factory: *mut *mut RawFactory,
    raw: *mut RawRequest,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { factory.write(raw.cast()) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn factory_delete(_: *mut RawFactory) -> *mut RawError {
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn factory_send_flags(_: *mut RawFactory, _: u32) -> *mut RawError {
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn response_from_factory(
    response: *mut *mut RawResponse,
    factory: *mut RawFactory,
) -> *mut RawError {
    // SAFETY: as for a request.
    unsafe { response_new(response, factory.cast()) }
}
