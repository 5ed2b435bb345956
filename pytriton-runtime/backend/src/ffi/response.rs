use std::ffi::{CStr, c_void};
use std::ptr;

use super::api::Api;
use super::error::{check, to_raw};
use super::raw::{MEMORY_CPU, MEMORY_GPU, RESPONSE_FINAL, RawOutput, RawResponse, TYPE_INVALID};
use super::request::Request;
use crate::failure::{Code, Failure};

/// What becomes of the requests of an execution, by their position; sent when it is over.
#[derive(Debug)]
pub struct Responses {
    api: &'static Api,
    slots: Vec<Slot>,
}

#[derive(Debug)]
enum Slot {
    /// Nothing is known.
    Open,
    /// It has a response, which is this library's until it is sent.
    Begun(*mut RawResponse),
    /// It failed.
    Failed(Failure),
}

// SAFETY: a response that was begun may be used by any thread, by one at a time.
unsafe impl Send for Responses {}

impl Responses {
    pub(super) fn new(api: &'static Api) -> Self {
        Self {
            api,
            slots: Vec::new(),
        }
    }

    /// Forgets the last execution, whose responses were sent, and expects `count` requests.
    pub(super) fn expect(&mut self, count: usize) {
        self.slots.clear();
        self.slots.resize_with(count, || Slot::Open);
    }

    /// Begins the response of a request that has succeeded.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn begin(&mut self, index: usize, request: Request<'_>) -> Result<(), Failure> {
        let response = self.response(request)?;
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Slot::Begun(response);
        }
        Ok(())
    }

    /// Adds an output to a response that was begun.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn output(
        &mut self,
        index: usize,
        (name, datatype): (&CStr, i32),
        dims: &[i64],
        data: &[u8],
    ) -> Result<(), Failure> {
        let Some(&Slot::Begun(response)) = self.slots.get(index) else {
            return Err(Failure::internal(
                "an output of a response that was not begun",
            ));
        };
        let output = self.declare(response, (name, datatype), dims)?;
        self.fill(output, data)
    }

    /// Says that a request has failed.
    pub fn fail(&mut self, index: usize, failure: Failure) {
        let Some(slot) = self.slots.get_mut(index) else {
            return;
        };
        if let Slot::Begun(response) = std::mem::replace(slot, Slot::Failed(failure)) {
            // SAFETY: the response was begun, not sent, and is forgotten here.
            let error = unsafe { (self.api.response_delete)(response) };
            // There is nobody to tell.
            let _ = check(self.api, error);
        }
    }

    /// Says that all requests have failed, those too whose responses were begun.
    pub(super) fn fail_all(&mut self, failure: &Failure) {
        for index in 0..self.slots.len() {
            self.fail(index, failure.clone());
        }
    }

    /// Whether a request has succeeded.
    pub(super) fn succeeded(&self, index: usize) -> bool {
        matches!(self.slots.get(index), Some(Slot::Begun(_)))
    }

    /// Sends a request's response.
    pub(super) fn send(&mut self, index: usize, request: Request<'_>) -> Result<(), Failure> {
        let Some(slot) = self.slots.get_mut(index) else {
            return Ok(());
        };
        let (response, failure) = match std::mem::replace(slot, Slot::Open) {
            Slot::Begun(response) => (response, ptr::null_mut()),
            Slot::Failed(failure) => (self.failed(request)?, to_raw(&failure, self.api)),
            Slot::Open => {
                let failure = Failure::new(Code::Internal, "the model has not answered");
                (self.failed(request)?, to_raw(&failure, self.api))
            }
        };
        // SAFETY: the response was begun and not sent; it is Triton's from here on. The error stays this library's.
        let error = unsafe { (self.api.response_send)(response, RESPONSE_FINAL, failure) };
        if !failure.is_null() {
            // SAFETY: `failure` was made above, Triton has copied it, and it is not used any more.
            unsafe { (self.api.error_delete)(failure) };
        }
        check(self.api, error)
    }

    fn response(&self, request: Request<'_>) -> Result<*mut RawResponse, Failure> {
        let mut response = ptr::null_mut();
        // SAFETY: the request is live (invariant 3), `response` is valid for writes.
        let error = unsafe { (self.api.response_new)(&raw mut response, request.raw()) };
        check(self.api, error)?;
        Ok(response)
    }

    /// A response for an error, which Triton's response cache must not keep.
    ///
    /// It would answer the next such request with success and no outputs. What it cannot copy it does not keep, and an
    /// output without memory is such a thing; beside an error no client sees it.
    fn failed(&self, request: Request<'_>) -> Result<*mut RawResponse, Failure> {
        let response = self.response(request)?;
        if let Ok(name) = request.output(0) {
            // An error that is kept is still an error for whoever waits for this one.
            let _ = self.declare(response, (name, TYPE_INVALID), &[0]);
        }
        Ok(response)
    }

    /// Adds an output that has no memory yet to a response.
    fn declare(
        &self,
        response: *mut RawResponse,
        (name, datatype): (&CStr, i32),
        dims: &[i64],
    ) -> Result<*mut RawOutput, Failure> {
        let rank =
            u32::try_from(dims.len()).map_err(|error| Failure::internal(error.to_string()))?;
        let mut output = ptr::null_mut();
        let (outputs, name, dims) = (&raw mut output, name.as_ptr(), dims.as_ptr());
        // SAFETY:
        // - The response was begun and not yet sent.
        // - `name` ends with a zero byte, `dims` has `rank` elements; both are copied.
        // - `outputs` is valid for writes.
        let error =
            unsafe { (self.api.response_output)(response, outputs, name, datatype, dims, rank) };
        check(self.api, error)?;
        Ok(output)
    }

    /// Copies an output's bytes into memory of Triton's.
    fn fill(&self, output: *mut RawOutput, data: &[u8]) -> Result<(), Failure> {
        let mut buffer: *mut c_void = ptr::null_mut();
        let (mut memory, mut device) = (MEMORY_CPU, 0);
        let (buffers, len) = (&raw mut buffer, data.len() as u64);
        let (memories, devices) = (&raw mut memory, &raw mut device);
        // SAFETY: the output was made for a response that is not yet sent; the pointers are valid for writes.
        let error = unsafe { (self.api.output_buffer)(output, buffers, len, memories, devices) };
        check(self.api, error)?;
        if memory == MEMORY_GPU {
            return Err(Failure::internal("Triton wants an output in GPU memory"));
        }
        if data.is_empty() || buffer.is_null() {
            return Ok(());
        }
        // SAFETY:
        // - `buffer` is valid for writes of `len` bytes (invariant 2), in memory of the CPU.
        // - It is Triton's own and new, so that it does not overlap `data`.
        unsafe { ptr::copy_nonoverlapping(data.as_ptr(), buffer.cast(), data.len()) };
        Ok(())
    }
}
