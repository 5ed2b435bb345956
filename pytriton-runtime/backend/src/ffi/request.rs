use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::slice;

use super::api::Api;
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
    /// Its dimensions, the batch axis first.
    pub dims: &'b [i64],
    /// The bytes of all its buffers.
    pub len: u64,
}

/// A parameter of a request.
pub type Parameter<'b> = (Cow<'b, str>, Value<'b>);

/// The place of a request in a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence<'b> {
    /// What the client calls the sequence.
    pub id: Correlation<'b>,
    /// Whether the request is its first.
    pub start: bool,
    /// Whether the request is its last.
    pub end: bool,
}

/// What a client calls a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Correlation<'b> {
    /// A number, which is not 0.
    Number(u64),
    /// A text, which is not empty.
    Text(Cow<'b, str>),
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'b> {
    /// A text.
    String(Cow<'b, str>),
    /// An integer.
    Int64(i64),
    /// A boolean.
    Bool(bool),
    /// A floating-point number.
    Double(f64),
}

impl<'b> Request<'b> {
    /// A request that is the backend's as long as it is used.
    pub(super) fn new(api: &'static Api, raw: *mut RawRequest) -> Self {
        Self {
            api,
            raw,
            batch: PhantomData,
        }
    }

    /// The client's id; empty for none.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn id(&self) -> Result<Cow<'b, str>, Failure> {
        let mut id = ptr::null();
        // SAFETY: the request is live (invariant 3), `id` is valid for writes.
        let error = unsafe { (self.api.request_id)(self.raw, &raw mut id) };
        check(self.api, error)?;
        // SAFETY: Triton has set the text without an error (invariant 2).
        Ok(unsafe { text(id) }.to_string_lossy())
    }

    /// Whether the client has taken the request back.
    pub fn cancelled(&self) -> bool {
        let mut cancelled = false;
        // SAFETY: the request is live (invariant 3), `cancelled` is valid for writes.
        let error = unsafe { (self.api.request_cancelled)(self.raw, &raw mut cancelled) };
        check(self.api, error).is_ok() && cancelled
    }

    /// The sequence that the request belongs to; `None` for none.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn sequence(&self) -> Result<Option<Sequence<'b>>, Failure> {
        let mut number = 0;
        // SAFETY: the request is live (invariant 3), `number` is valid for writes.
        let error = unsafe { (self.api.request_correlation)(self.raw, &raw mut number) };
        let id = match check(self.api, error) {
            Ok(()) if number == 0 => return Ok(None),
            Ok(()) => Correlation::Number(number),
            // It is said of texts alone.
            Err(_) => {
                let mut name = ptr::null();
                // SAFETY: as above, of `name`.
                let error = unsafe { (self.api.request_correlation_text)(self.raw, &raw mut name) };
                check(self.api, error)?;
                // SAFETY: Triton has set the text without an error (invariant 2).
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

    /// How long the request may wait, in microseconds; 0 for no wish.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn timeout(&self) -> Result<u64, Failure> {
        let mut timeout = 0;
        // SAFETY: the request is live (invariant 3), `timeout` is valid for writes.
        let error = unsafe { (self.api.request_timeout)(self.raw, &raw mut timeout) };
        check(self.api, error)?;
        Ok(timeout)
    }

    /// How many parameters it has.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn parameter_count(&self) -> Result<u32, Failure> {
        self.count(self.api.request_parameter_count)
    }

    /// A parameter.
    ///
    /// # Errors
    ///
    /// Triton's words, or that the parameter is of a type of which no client can send one.
    pub fn parameter(&self, index: u32) -> Result<Parameter<'b>, Failure> {
        let (mut name, mut kind, mut value) = (ptr::null(), 0, ptr::null());
        let (names, kinds, values) = (&raw mut name, &raw mut kind, &raw mut value);
        // SAFETY: the request is live (invariant 3), the three pointers are valid for writes.
        let error = unsafe { (self.api.request_parameter)(self.raw, index, names, kinds, values) };
        check(self.api, error)?;
        // SAFETY: Triton has set the text without an error (invariant 2).
        let name = unsafe { text(name) }.to_string_lossy();
        let doubles = self.api.release.has_double_parameters();
        // SAFETY: Triton has set the value and its type without an error (invariant 2), and
        // `doubles` says what the type's number stands for in its release.
        let value = unsafe { parameter_value((kind, doubles), value) };
        value
            .map(|value| (name, value))
            .ok_or_else(|| Failure::new(Code::Unsupported, "a parameter of bytes cannot be served"))
    }

    /// How many inputs it has.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn input_count(&self) -> Result<u32, Failure> {
        self.count(self.api.request_input_count)
    }

    /// An input.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn input(&self, index: u32) -> Result<Input<'b>, Failure> {
        let mut raw = ptr::null_mut();
        // SAFETY: the request is live (invariant 3), `raw` is valid for writes.
        let error = unsafe { (self.api.request_input)(self.raw, index, &raw mut raw) };
        check(self.api, error)?;
        let (mut name, mut datatype, mut dims) = (ptr::null(), 0, ptr::null());
        let (mut rank, mut len, mut buffers) = (0, 0, 0);
        // SAFETY: the input is its request's, which is live (invariant 3); the pointers are valid for writes.
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
            // SAFETY: Triton has set the text without an error (invariant 2).
            name: unsafe { text(name) },
            // SAFETY: Triton has set the array and its length without an error (invariant 2).
            dims: unsafe { array(dims, rank as usize) },
            len,
        })
    }

    /// How many outputs it asks for.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn output_count(&self) -> Result<u32, Failure> {
        self.count(self.api.request_output_count)
    }

    /// The name of an output that it asks for.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn output(&self, index: u32) -> Result<&'b CStr, Failure> {
        let mut name = ptr::null();
        // SAFETY: the request is live (invariant 3), `name` is valid for writes.
        let error = unsafe { (self.api.request_output_name)(self.raw, index, &raw mut name) };
        check(self.api, error)?;
        // SAFETY: Triton has set the text without an error (invariant 2).
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
    /// The pieces of memory that hold its bytes, in their order.
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
        // SAFETY: Triton has set the array and its length without an error (invariant 2), in memory of the CPU.
        Ok(unsafe { array(base.cast(), len) })
    }
}

/// A text of Triton's.
///
/// # Safety
///
/// `text` must be null or valid as in invariant 2.
unsafe fn text<'b>(text: *const c_char) -> &'b CStr {
    if text.is_null() {
        return c"";
    }
    // SAFETY: not null, and thus valid by the caller's word.
    unsafe { CStr::from_ptr(text) }
}

/// An array of Triton's.
///
/// # Safety
///
/// `base` must be null or valid for `len` elements as in invariant 2.
unsafe fn array<'b, T>(base: *const T, len: usize) -> &'b [T] {
    if base.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: not null, and thus valid by the caller's word.
    unsafe { slice::from_raw_parts(base, len) }
}

/// A parameter's value; `None` for bytes.
///
/// # Safety
///
/// - `value` must be valid for the type that `kind` stands for: [`PARAMETER_DOUBLE`] for a `double`
///   with `doubles`, and for bytes of unknown number without.
/// - A text must live as long as what is returned.
unsafe fn parameter_value<'b>(
    (kind, doubles): (i32, bool),
    value: *const c_void,
) -> Option<Value<'b>> {
    match kind {
        // SAFETY: a text, by the caller's word.
        PARAMETER_STRING => Some(Value::String(
            unsafe { text(value.cast()) }.to_string_lossy(),
        )),
        // SAFETY: an `int64_t`, by the caller's word.
        PARAMETER_INT => Some(Value::Int64(unsafe { value.cast::<i64>().read() })),
        // SAFETY: a `bool`, by the caller's word; read as a byte, which any value is valid for.
        PARAMETER_BOOL => Some(Value::Bool(unsafe { value.cast::<u8>().read() } != 0)),
        // SAFETY: a `double`, by the caller's word: it is one with `doubles` only.
        PARAMETER_DOUBLE if doubles => Some(Value::Double(unsafe { value.cast::<f64>().read() })),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_for_a_double_from_the_release_on_that_has_them() {
        let number = 2.5_f64;
        let value = (&raw const number).cast();
        // SAFETY: a `double` where one is read.
        let read = [false, true]
            .map(|doubles| unsafe { parameter_value((PARAMETER_DOUBLE, doubles), value) });
        assert_eq!(read, [None, Some(Value::Double(2.5))]);
        // The bytes of a release without them: one, where a `double` would be read beyond the end.
        let byte = Box::new(7_u8);
        let value = (&raw const *byte).cast();
        // SAFETY: nothing is read.
        let read = unsafe { parameter_value((PARAMETER_DOUBLE, false), value) };
        assert_eq!(read, None);
    }
}
