use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::ffi::raw::{MEMORY_CPU, RawError, RawInput, RawRequest, SEQUENCE_END, SEQUENCE_START};

/// A request with one value of its only input, `x`, for the output `y`.
#[derive(Debug)]
pub(crate) struct SimulatedRequest {
    sequence: u64,
    flags: u32,
    value: f32,
    pub(crate) cancelled: AtomicBool,
    pub(super) outcome: Mutex<Option<Outcome>>,
    released: AtomicBool,
}

/// The value of a response, or the code and the message of its error.
pub(crate) type Outcome = Result<f32, (i32, String)>;

impl SimulatedRequest {
    /// Creates a request of a sequence, or of none for 0. `flags` contains `start` or `end`.
    pub(crate) fn new(sequence: u64, flags: &str, value: f32) -> Arc<Self> {
        let flag = |name: &str, flag| if flags.contains(name) { flag } else { 0 };
        Arc::new(Self {
            sequence,
            flags: flag("start", SEQUENCE_START) | flag("end", SEQUENCE_END),
            value,
            cancelled: AtomicBool::new(false),
            outcome: Mutex::default(),
            released: AtomicBool::new(false),
        })
    }

    /// Returns its response, once it is released.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let released = self.released.load(Ordering::Acquire);
        let outcome = self.outcome.lock().unwrap().clone();
        outcome.filter(|_| released)
    }
}

/// Returns the request that a pointer refers to.
pub(super) fn request<'r>(raw: *const RawRequest) -> &'r SimulatedRequest {
    // SAFETY: the test owns it, and it outlives the batch.
    unsafe { &*raw.cast() }
}

pub(super) unsafe extern "C" fn request_id(
    _: *mut RawRequest,
    id: *mut *const c_char,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { id.write(c"".as_ptr()) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn request_cancelled(
    raw: *mut RawRequest,
    cancelled: *mut bool,
) -> *mut RawError {
    let is_cancelled = request(raw).cancelled.load(Ordering::Acquire);
    // SAFETY: valid for writes.
    unsafe { cancelled.write(is_cancelled) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn request_correlation(
    raw: *mut RawRequest,
    id: *mut u64,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { id.write(request(raw).sequence) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn request_flags(
    raw: *mut RawRequest,
    flags: *mut u32,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { flags.write(request(raw).flags) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn request_output_name(
    _: *mut RawRequest,
    _: u32,
    name: *mut *const c_char,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { name.write(c"y".as_ptr()) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn request_release(raw: *mut RawRequest, _: u32) -> *mut RawError {
    let before = request(raw).released.swap(true, Ordering::AcqRel);
    assert!(!before, "a request is released twice");
    ptr::null_mut()
}

/// The input of a request is the request itself.
pub(super) unsafe extern "C" fn request_input(
    raw: *mut RawRequest,
    _: u32,
    input: *mut *mut RawInput,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { input.write(raw.cast()) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn input_properties(
    _: *mut RawInput,
    name: *mut *const c_char,
    datatype: *mut i32,
    dims: *mut *const i64,
    rank: *mut u32,
    len: *mut u64,
    buffers: *mut u32,
) -> *mut RawError {
    static DIMS: [i64; 2] = [1, 1];
    // SAFETY: valid for writes.
    unsafe { name.write(c"x".as_ptr()) };
    // SAFETY: as above.
    unsafe { datatype.write(11) };
    // SAFETY: as above.
    unsafe { dims.write(DIMS.as_ptr()) };
    // SAFETY: as above.
    unsafe { rank.write(2) };
    // SAFETY: as above.
    unsafe { len.write(4) };
    // SAFETY: as above.
    unsafe { buffers.write(1) };
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn input_buffer(
    input: *mut RawInput,
    _: u32,
    base: *mut *const c_void,
    len: *mut u64,
    memory: *mut i32,
    _: *mut i64,
) -> *mut RawError {
    let value = &raw const request(input.cast()).value;
    // SAFETY: valid for writes.
    unsafe { base.write(value.cast()) };
    // SAFETY: as above.
    unsafe { len.write(4) };
    // SAFETY: as above.
    unsafe { memory.write(MEMORY_CPU) };
    ptr::null_mut()
}
