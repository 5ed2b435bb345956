use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::slice;

use super::api::{Api, Release};
use super::error::check;
use super::raw::{
    MEMORY_GPU, PARAMETER_BOOL, PARAMETER_DOUBLE, PARAMETER_INT, PARAMETER_STRING, RawInput,
    RawRequest, SEQUENCE_END, SEQUENCE_START,
};
use crate::failure::{Code, Failure};

/// A request that belongs to the backend while it executes.
#[derive(Debug, Clone, Copy)]
pub struct Request<'b> {
    api: &'static Api,
    raw: *mut RawRequest,
    batch: PhantomData<&'b ()>,
}

/// An input of a request.
#[derive(Debug, Clone, Copy)]
pub struct Input<'b> {
    api: &'static Api,
    raw: *mut RawInput,
    buffers: u32,
    /// Its name.
    pub name: &'b CStr,
    /// Its shape, the batch axis first.
    pub dims: &'b [i64],
    /// The number of bytes of all its buffers.
    pub len: u64,
}

/// A parameter of a request.
pub type Parameter<'b> = (Cow<'b, str>, Value<'b>);

/// The position of a request in a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence<'b> {
    /// The client's id of the sequence.
    pub id: Correlation<'b>,
    /// Whether the request is the first of the sequence.
    pub start: bool,
    /// Whether the request is the last of the sequence.
    pub end: bool,
}

/// A sequence id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Correlation<'b> {
    /// A number other than 0.
    Number(u64),
    /// A string that is not empty.
    Text(Cow<'b, str>),
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'b> {
    /// A string.
    String(Cow<'b, str>),
    /// An integer.
    Int64(i64),
    /// A boolean.
    Bool(bool),
    /// A floating-point number.
    Double(f64),
}

impl<'b> Request<'b> {
    /// Wraps a request that the backend owns while it is used.
    pub(super) fn new(api: &'static Api, raw: *mut RawRequest) -> Self {
        Self {
            api,
            raw,
            batch: PhantomData,
        }
    }

    /// Returns the client's request id; empty if not set.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn id(&self) -> Result<Cow<'b, str>, Failure> {
        let mut id = ptr::null();
        // SAFETY: the request is live (invariant 3), `id` is valid for writes.
        let error = unsafe { (self.api.request_id)(self.raw, &raw mut id) };
        check(self.api, error)?;
        // SAFETY: Triton has returned the string without an error (invariant 2).
        Ok(unsafe { text(id) }.to_string_lossy())
    }

    /// Returns whether the client has cancelled the request.
    pub fn cancelled(&self) -> bool {
        let mut cancelled = false;
        // SAFETY: the request is live (invariant 3), `cancelled` is valid for writes.
        let error = unsafe { (self.api.request_cancelled)(self.raw, &raw mut cancelled) };
        check(self.api, error).is_ok() && cancelled
    }

    /// Returns the sequence of the request, if any.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn sequence(&self) -> Result<Option<Sequence<'b>>, Failure> {
        let mut number = 0;
        // SAFETY: the request is live (invariant 3), `number` is valid for writes.
        let error = unsafe { (self.api.request_correlation)(self.raw, &raw mut number) };
        let id = match check(self.api, error) {
            Ok(()) if number == 0 => return Ok(None),
            Ok(()) => Correlation::Number(number),
            // This call fails only for string ids.
            Err(_) => {
                let mut name = ptr::null();
                // SAFETY: as above, of `name`.
                let error = unsafe { (self.api.request_correlation_text)(self.raw, &raw mut name) };
                check(self.api, error)?;
                // SAFETY: Triton has returned the string without an error (invariant 2).
                match unsafe { text(name) }.to_string_lossy() {
                    name if name.is_empty() => return Ok(None),
                    name => Correlation::Text(name),
                }
            }
        };
        let mut flags = 0;
        // SAFETY: as above, of `flags`.
        let error = unsafe { (self.api.request_flags)(self.raw, &raw mut flags) };
        check(self.api, error)?;
        Ok(Some(Sequence {
            id,
            start: flags & SEQUENCE_START != 0,
            end: flags & SEQUENCE_END != 0,
        }))
    }

    /// Returns the queue timeout of the request in microseconds; 0 for none.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn timeout(&self) -> Result<u64, Failure> {
        let mut timeout = 0;
        // SAFETY: the request is live (invariant 3), `timeout` is valid for writes.
        let error = unsafe { (self.api.request_timeout)(self.raw, &raw mut timeout) };
        check(self.api, error)?;
        Ok(timeout)
    }

    /// Returns the number of parameters.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn parameter_count(&self) -> Result<u32, Failure> {
        self.count(self.api.request_parameter_count)
    }

    /// Returns a parameter.
    ///
    /// # Errors
    ///
    /// Returns Triton's error, or a failure for a parameter type that clients cannot send.
    pub fn parameter(&self, index: u32) -> Result<Parameter<'b>, Failure> {
        let (mut name, mut kind, mut value) = (ptr::null(), 0, ptr::null());
        let (names, kinds, values) = (&raw mut name, &raw mut kind, &raw mut value);
        // SAFETY: the request is live (invariant 3), the three pointers are valid for writes.
        let error = unsafe { (self.api.request_parameter)(self.raw, index, names, kinds, values) };
        check(self.api, error)?;
        // SAFETY: Triton has returned the string without an error (invariant 2).
        let name = unsafe { text(name) }.to_string_lossy();
        // SAFETY: Triton has returned the value and its type without an error (invariant 2), and
        // `release` is its own. `'b` ends before the request is released (invariant 3).
        let value = unsafe { parameter_value(&self.api.release, kind, value) };
        value.map(|value| (name, value)).ok_or_else(|| {
            Failure::new(
                Code::Unsupported,
                "parameters of type bytes are not supported",
            )
        })
    }

    /// Returns the number of inputs.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn input_count(&self) -> Result<u32, Failure> {
        self.count(self.api.request_input_count)
    }

    /// Returns an input.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn input(&self, index: u32) -> Result<Input<'b>, Failure> {
        let mut raw = ptr::null_mut();
        // SAFETY: the request is live (invariant 3), `raw` is valid for writes.
        let error = unsafe { (self.api.request_input)(self.raw, index, &raw mut raw) };
        check(self.api, error)?;
        let (mut name, mut datatype, mut dims) = (ptr::null(), 0, ptr::null());
        let (mut rank, mut len, mut buffers) = (0, 0, 0);
        // SAFETY: the input belongs to its request, which is live (invariant 3); the pointers are
        // valid for writes.
        let error = unsafe {
            (self.api.input_properties)(
                raw,
                &raw mut name,
                &raw mut datatype,
                &raw mut dims,
                &raw mut rank,
                &raw mut len,
                &raw mut buffers,
            )
        };
        check(self.api, error)?;
        Ok(Input {
            api: self.api,
            raw,
            buffers,
            // SAFETY: Triton has returned the string without an error (invariant 2).
            name: unsafe { text(name) },
            // SAFETY: Triton has returned the array and its length without an error (invariant 2).
            dims: unsafe { array(dims, rank as usize) },
            len,
        })
    }

    /// Returns the number of requested outputs.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn output_count(&self) -> Result<u32, Failure> {
        self.count(self.api.request_output_count)
    }

    /// Returns the name of a requested output.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn output(&self, index: u32) -> Result<&'b CStr, Failure> {
        let mut name = ptr::null();
        // SAFETY: the request is live (invariant 3), `name` is valid for writes.
        let error = unsafe { (self.api.request_output_name)(self.raw, index, &raw mut name) };
        check(self.api, error)?;
        // SAFETY: Triton has returned the string without an error (invariant 2).
        Ok(unsafe { text(name) })
    }

    pub(super) fn raw(&self) -> *mut RawRequest {
        self.raw
    }

    fn count(
        &self,
        function: unsafe extern "C" fn(*mut RawRequest, *mut u32) -> *mut super::RawError,
    ) -> Result<u32, Failure> {
        let mut count = 0;
        // SAFETY: the request is live (invariant 3), `count` is valid for writes.
        let error = unsafe { function(self.raw, &raw mut count) };
        check(self.api, error)?;
        Ok(count)
    }
}

impl<'b> Input<'b> {
    /// Returns the buffers that hold its bytes, in order.
    pub fn buffers(&self) -> impl Iterator<Item = Result<&'b [u8], Failure>> {
        (0..self.buffers).map(|index| self.buffer(index))
    }

    fn buffer(&self, index: u32) -> Result<&'b [u8], Failure> {
        let mut base: *const c_void = ptr::null();
        let (mut len, mut memory, mut device) = (0_u64, 0, 0);
        let (bases, lens) = (&raw mut base, &raw mut len);
        let (memories, devices) = (&raw mut memory, &raw mut device);
        // SAFETY: the input's request is live (invariant 3), the pointers are valid for writes.
        let error =
            unsafe { (self.api.input_buffer)(self.raw, index, bases, lens, memories, devices) };
        check(self.api, error)?;
        if memory == MEMORY_GPU {
            let name = self.name.to_string_lossy();
            let message = format!("input '{name}' is in GPU memory, which the model cannot read");
            return Err(Failure::new(Code::Unsupported, message));
        }
        let len = usize::try_from(len).map_err(|error| Failure::internal(error.to_string()))?;
        // SAFETY: Triton has returned the array and its length without an error (invariant 2), in
        // CPU memory. Triton does not write to it. It may be shared memory that the client has
        // registered and must not change before the response. If the client changes it anyway, the
        // copied elements differ: the bytes are only copied, never read twice.
        Ok(unsafe { array(base.cast(), len) })
    }
}

/// Converts a string of Triton.
///
/// # Safety
///
/// `text` must be null or valid as in invariant 2, and `'b` must end before its request is
/// released.
unsafe fn text<'b>(text: *const c_char) -> &'b CStr {
    if text.is_null() {
        return c"";
    }
    // SAFETY: not null, and therefore valid as guaranteed by the caller.
    unsafe { CStr::from_ptr(text) }
}

/// Converts an array of Triton.
///
/// # Safety
///
/// `base` must be null or valid for `len` elements as in invariant 2, and `'b` must end before
/// their request is released.
unsafe fn array<'b, T>(base: *const T, len: usize) -> &'b [T] {
    if base.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: not null, and therefore valid as guaranteed by the caller.
    unsafe { slice::from_raw_parts(base, len) }
}

/// Converts a parameter's value; `None` for bytes.
///
/// # Safety
///
/// - `value` must be valid for the type that `kind` denotes in this release. [`PARAMETER_DOUBLE`]
///   denotes a `double` if the release has these, otherwise bytes of unknown length.
/// - A string must be valid as in invariant 2, and `'b` must end before its request is released.
unsafe fn parameter_value<'b>(
    release: &Release,
    kind: i32,
    value: *const c_void,
) -> Option<Value<'b>> {
    match kind {
        // SAFETY: a string, as guaranteed by the caller.
        PARAMETER_STRING => Some(Value::String(
            unsafe { text(value.cast()) }.to_string_lossy(),
        )),
        // SAFETY: an `int64_t`, as guaranteed by the caller.
        PARAMETER_INT => Some(Value::Int64(unsafe { value.cast::<i64>().read() })),
        // SAFETY: a `bool`, as guaranteed by the caller; read as a byte, for which any value is
        // valid.
        PARAMETER_BOOL => Some(Value::Bool(unsafe { value.cast::<u8>().read() } != 0)),
        PARAMETER_DOUBLE if release.has_double_parameters() => {
            // SAFETY: a `double`, as guaranteed by the caller for such a release.
            Some(Value::Double(unsafe { value.cast::<f64>().read() }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::release;
    use super::*;

    #[test]
    fn double_parameters_need_a_server_that_supports_them() {
        let number = 2.5_f64;
        let value = (&raw const number).cast();
        for (minor, expected) in [(18, Some(Value::Double(2.5))), (17, None), (0, None)] {
            // SAFETY: a `double` where one is read.
            let read = unsafe { parameter_value(&release(minor), PARAMETER_DOUBLE, value) };
            assert_eq!(read, expected, "{minor}");
        }
        // Bytes of a release without doubles: a single byte, so reading a `double` would exceed it.
        let byte = Box::new(7_u8);
        let value = (&raw const *byte).cast();
        // SAFETY: nothing is read.
        let read = unsafe { parameter_value(&release(17), PARAMETER_DOUBLE, value) };
        assert_eq!(read, None);
    }
}
