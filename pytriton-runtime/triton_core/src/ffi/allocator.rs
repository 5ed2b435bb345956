use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use crate::error::Code;

use super::api::Error;
use super::buffer::OutputBuffer;
use super::error::to_raw;
use super::in_flight::InFlight;
use super::raw::{MEMORY_CPU, RawAllocator};

/// Allocates an output. `user` is the request's [`InFlight`], and `buffer_user` receives an `Arc`
/// of the [`OutputBuffer`].
pub(super) unsafe extern "C" fn allocate(
    _: *mut RawAllocator,
    _: *const c_char,
    size: usize,
    _: i32,
    _: i64,
    user: *mut c_void,
    buffer: *mut *mut c_void,
    buffer_user: *mut *mut c_void,
    actual_type: *mut i32,
    actual_device: *mut i64,
) -> Error {
    // SAFETY: the request is in flight (invariant 4), because it can still have responses.
    let in_flight = unsafe { &*user.cast_const().cast::<InFlight>() };
    // No code runs half-way in the allocation, and the error ends the response.
    let allocated = catch_unwind(AssertUnwindSafe(|| in_flight.allocate(size)));
    let basics = &in_flight.library().basics;
    let allocated = match allocated {
        Ok(Ok(allocated)) => allocated,
        Ok(Err(error)) => return to_raw(basics, Code::Unavailable, &error.to_string()),
        Err(_) => {
            return to_raw(
                basics,
                Code::Internal,
                "the allocation of an output panicked",
            );
        }
    };
    let memory = allocated
        .as_ref()
        .map_or(ptr::null_mut(), |new| new.pointer());
    let owner = allocated.map_or(ptr::null(), Arc::into_raw);
    // SAFETY: Triton passes pointers that are valid for writes.
    unsafe { buffer.write(memory) };
    // SAFETY: as above.
    unsafe { buffer_user.write(owner.cast_mut().cast()) };
    // SAFETY: as above.
    unsafe { actual_type.write(MEMORY_CPU) };
    // SAFETY: as above.
    unsafe { actual_device.write(0) };
    ptr::null_mut()
}

/// Releases an output of a response that is deleted.
pub(super) unsafe extern "C" fn release(
    _: *mut RawAllocator,
    _: *mut c_void,
    buffer_user: *mut c_void,
    _: usize,
    _: i32,
    _: i64,
) -> Error {
    if buffer_user.is_null() {
        return ptr::null_mut();
    }
    let buffer = buffer_user.cast_const().cast::<OutputBuffer>();
    // SAFETY: `allocate` created the pointer from an `Arc`, and Triton releases each buffer once.
    let buffer = unsafe { Arc::from_raw(buffer) };
    // A panic would end the process; it is already reported by the panic hook.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(buffer)));
    ptr::null_mut()
}
