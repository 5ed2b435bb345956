use std::ffi::{CStr, CString, c_void};
use std::ptr;

use super::api::Api;
use super::error::{OwnError, check};
use super::factory::Factory;
use super::raw::{MEMORY_CPU, MEMORY_GPU, RawOutput, RawResponse, TYPE_INVALID};
use super::request::Request;
use crate::failure::Failure;
use crate::protocol::Parameter;

/// A response that this library owns until it is sent.
#[derive(Debug)]
pub(super) struct Response {
    api: &'static Api,
    raw: *mut RawResponse,
}

impl Response {
    /// Creates a response to a request.
    pub(super) fn new(api: &'static Api, request: Request<'_>) -> Result<Self, Failure> {
        let mut raw = ptr::null_mut();
        // SAFETY: the request is live (invariant 3), `raw` is valid for writes.
        let error = unsafe { (api.response_new)(&raw mut raw, request.raw()) };
        check(api, error)?;
        Ok(Self { api, raw })
    }

    /// Creates a response from a factory.
    pub(super) fn from_factory(api: &'static Api, factory: &Factory) -> Result<Self, Failure> {
        let mut raw = ptr::null_mut();
        // SAFETY: the factory is live, `raw` is valid for writes.
        let error = unsafe { (api.response_from_factory)(&raw mut raw, factory.raw()) };
        check(api, error)?;
        Ok(Self { api, raw })
    }

    /// Creates a response for an error that Triton's response cache must not store.
    ///
    /// A cached error would be served to the next identical request as a success without outputs.
    /// The cache skips responses that it cannot copy, such as one with an output without memory.
    /// Clients do not see that output next to an error.
    pub(super) fn failed(api: &'static Api, request: Request<'_>) -> Result<Self, Failure> {
        let mut response = Self::new(api, request)?;
        if let Ok(name) = request.output(0) {
            // If this fails, the response is still an error for the current client.
            let _ = response.declare((name, TYPE_INVALID), &[0]);
        }
        Ok(response)
    }

    /// Adds a parameter.
    pub(super) fn parameter(&mut self, name: &str, value: Parameter<'_>) -> Result<(), Failure> {
        let text = |text: &str| {
            CString::new(text).map_err(|error| Failure::internal(format!("a parameter: {error}")))
        };
        let name = text(name)?;
        let (response, name) = (self.raw, name.as_ptr());
        // SAFETY (all four): the response is not sent yet; the strings end with a zero byte and are
        // copied.
        let error = match value {
            Parameter::String(value) => {
                let value = text(value)?;
                // SAFETY: as above.
                unsafe { (self.api.response_set_string)(response, name, value.as_ptr()) }
            }
            // SAFETY: as above.
            Parameter::Int64(value) => unsafe {
                (self.api.response_set_int)(response, name, value)
            },
            // SAFETY: as above.
            Parameter::Bool(value) => unsafe {
                (self.api.response_set_bool)(response, name, value)
            },
            // SAFETY: as above.
            Parameter::Double(value) => unsafe {
                (self.api.response_set_double)(response, name, value)
            },
        };
        check(self.api, error)
    }

    /// Adds an output.
    pub(super) fn output(
        &mut self,
        (name, datatype): (&CStr, i32),
        dims: &[i64],
        data: &[u8],
    ) -> Result<(), Failure> {
        let output = self.declare((name, datatype), dims)?;
        self.fill(output, data)
    }

    /// Sends it with the given flags, and with an error if there is one.
    pub(super) fn send(mut self, failure: Option<&Failure>, flags: u32) -> Result<(), Failure> {
        let error = failure.map(|failure| OwnError::new(failure, self.api));
        let error = error.as_ref().map_or(ptr::null_mut(), OwnError::raw);
        let raw = std::mem::replace(&mut self.raw, ptr::null_mut());
        // SAFETY: the response was not sent before; from here on Triton owns it. Triton copies the
        // error, which this library keeps.
        check(self.api, unsafe {
            (self.api.response_send)(raw, flags, error)
        })
    }

    /// Adds an output without memory.
    fn declare(
        &mut self,
        (name, datatype): (&CStr, i32),
        dims: &[i64],
    ) -> Result<*mut RawOutput, Failure> {
        let rank =
            u32::try_from(dims.len()).map_err(|error| Failure::internal(error.to_string()))?;
        let mut output = ptr::null_mut();
        let (outputs, name, dims) = (&raw mut output, name.as_ptr(), dims.as_ptr());
        // SAFETY:
        // - The response is not sent yet.
        // - `name` ends with a zero byte, `dims` has `rank` elements; both are copied.
        // - `outputs` is valid for writes.
        let error =
            unsafe { (self.api.response_output)(self.raw, outputs, name, datatype, dims, rank) };
        check(self.api, error)?;
        Ok(output)
    }

    /// Copies the bytes of an output into Triton's memory.
    fn fill(&self, output: *mut RawOutput, data: &[u8]) -> Result<(), Failure> {
        let mut buffer: *mut c_void = ptr::null_mut();
        let (mut memory, mut device) = (MEMORY_CPU, 0);
        let (buffers, len) = (&raw mut buffer, data.len() as u64);
        let (memories, devices) = (&raw mut memory, &raw mut device);
        // SAFETY: the output belongs to a response that is not sent yet; the pointers are valid for
        // writes.
        let error = unsafe { (self.api.output_buffer)(output, buffers, len, memories, devices) };
        check(self.api, error)?;
        if memory == MEMORY_GPU {
            return Err(Failure::internal(
                "Triton requested an output in GPU memory, which is not supported",
            ));
        }
        if data.is_empty() {
            return Ok(());
        }
        if buffer.is_null() {
            return Err(Failure::internal(
                "Triton did not provide memory for an output",
            ));
        }
        // SAFETY:
        // - `buffer` is valid for writes of `len` bytes (invariant 2), in CPU memory.
        // - Triton has just allocated it, so it does not overlap `data`.
        unsafe { ptr::copy_nonoverlapping(data.as_ptr(), buffer.cast(), data.len()) };
        Ok(())
    }
}

impl Drop for Response {
    fn drop(&mut self) {
        if self.raw.is_null() {
            return;
        }
        // SAFETY: the response was not sent, and is not used after this.
        let error = unsafe { (self.api.response_delete)(self.raw) };
        // The error cannot be reported.
        let _ = check(self.api, error);
    }
}
