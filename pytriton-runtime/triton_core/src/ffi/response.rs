use std::ffi::{c_char, c_void};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::{ptr, slice};

use pytriton_core::request::{ParameterValue, Parameters};
use pytriton_core::tensor::{DataType, Dims};
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_core::tracked_tensor::TrackedTensor;

use crate::CoreError;
use crate::response::CoreResponse;

use super::Loaded;
use super::buffer::OutputBuffer;
use super::error::text;
use super::raw::{
    MEMORY_GPU, PARAMETER_BOOL, PARAMETER_DOUBLE, PARAMETER_INT, PARAMETER_STRING, RawResponse,
};

/// A response that this process owns. It is deleted on drop, which releases its buffers.
#[derive(Debug)]
pub(super) struct Response {
    raw: *mut RawResponse,
    library: &'static Loaded,
}

impl Response {
    /// Takes ownership of a response; `None` if it is null.
    ///
    /// # Safety
    ///
    /// `raw` is null or a completed response that nothing else owns.
    pub(super) unsafe fn new(raw: *mut RawResponse, library: &'static Loaded) -> Option<Self> {
        (!raw.is_null()).then_some(Self { raw, library })
    }

    /// Reads the response. Its outputs keep their buffers.
    pub(super) fn read(&self) -> Result<CoreResponse, CoreError> {
        let api = &self.library.api;
        // SAFETY: the response is live until dropped.
        let error = unsafe { (api.response_error)(self.raw) };
        // Contrary to Triton's header, each call creates an error, which the caller owns.
        self.library.check(error)?;
        let (mut name, mut version) = (ptr::null(), 0);
        // SAFETY: the response is live until dropped, and the pointers are valid for writes.
        let error = unsafe { (api.response_model)(self.raw, &raw mut name, &raw mut version) };
        self.library.check(error)?;
        let mut id = ptr::null();
        // SAFETY: as above.
        let error = unsafe { (api.response_id)(self.raw, &raw mut id) };
        self.library.check(error)?;
        Ok(CoreResponse {
            // SAFETY: Triton's texts end with a zero byte and live as long as the response.
            model_name: unsafe { text(name) },
            model_version: version,
            // SAFETY: as above.
            id: unsafe { text(id) },
            parameters: self.parameters()?,
            outputs: self.outputs()?,
        })
    }

    fn parameters(&self) -> Result<Parameters, CoreError> {
        let mut count = 0;
        // SAFETY: the response is live until dropped, and the pointer is valid for writes.
        let error = unsafe { (self.library.api.parameter_count)(self.raw, &raw mut count) };
        self.library.check(error)?;
        let mut parameters = Parameters::default();
        for index in 0..count {
            let (mut name, mut kind, mut value) = (ptr::null(), 0, ptr::null());
            let (names, kinds, values) = (&raw mut name, &raw mut kind, &raw mut value);
            let parameter = self.library.api.parameter;
            // SAFETY: as above.
            let error = unsafe { parameter(self.raw, index, names, kinds, values) };
            self.library.check(error)?;
            // SAFETY: as for `read`.
            let name = unsafe { text(name) };
            // SAFETY: Triton returned the value and its type.
            let value = unsafe { self.value(kind, value) };
            parameters.insert(name, value?);
        }
        Ok(parameters)
    }

    /// Copies the value of a parameter.
    ///
    /// # Safety
    ///
    /// `value` points to a value of the type `kind`; a string is the text itself.
    unsafe fn value(&self, kind: i32, value: *const c_void) -> Result<ParameterValue, CoreError> {
        // Before the release with this function, the number was that of another type.
        let has_double = self.library.api.set_double.is_some();
        Ok(match kind {
            // SAFETY: the caller guarantees the type.
            PARAMETER_STRING => ParameterValue::String(unsafe { text(value.cast::<c_char>()) }),
            // SAFETY: as above.
            PARAMETER_INT => ParameterValue::Int64(unsafe { value.cast::<i64>().read() }),
            // SAFETY: as above.
            PARAMETER_BOOL => ParameterValue::Bool(unsafe { value.cast::<bool>().read() }),
            PARAMETER_DOUBLE if has_double => {
                // SAFETY: as above.
                ParameterValue::Double(unsafe { value.cast::<f64>().read() })
            }
            kind => return Err(invalid(format!("a parameter has the unknown type {kind}"))),
        })
    }

    fn outputs(&self) -> Result<Vec<(String, TrackedTensor)>, CoreError> {
        let mut count = 0;
        // SAFETY: the response is live until dropped, and the pointer is valid for writes.
        let error = unsafe { (self.library.api.output_count)(self.raw, &raw mut count) };
        self.library.check(error)?;
        (0..count).map(|index| self.output(index)).collect()
    }

    fn output(&self, index: u32) -> Result<(String, TrackedTensor), CoreError> {
        let (mut name, mut datatype, mut dims, mut rank) = (ptr::null(), 0, ptr::null(), 0);
        let (mut base, mut size, mut memory, mut device) = (ptr::null(), 0, 0, 0);
        let mut user = ptr::null_mut();
        // SAFETY: the response is live until dropped, and the pointers are valid for writes.
        let error = unsafe {
            (self.library.api.output)(
                self.raw,
                index,
                &raw mut name,
                &raw mut datatype,
                &raw mut dims,
                &raw mut rank,
                &raw mut base,
                &raw mut size,
                &raw mut memory,
                &raw mut device,
                &raw mut user,
            )
        };
        self.library.check(error)?;
        // SAFETY: as for `read`.
        let name = unsafe { text(name) };
        let failed = |reason: String| invalid(format!("output '{name}' {reason}"));
        if memory == MEMORY_GPU {
            return Err(failed("is in GPU memory".to_owned()));
        }
        let datatype = datatype_of(datatype)
            .ok_or_else(|| failed(format!("has the unknown data type {datatype}")))?;
        // SAFETY: the shape has that rank and lives as long as the response.
        let shape = unsafe { dims_of(dims, rank) };
        let shape = shape.ok_or_else(|| failed("has a negative dimension".to_owned()))?;
        // SAFETY: the buffer is that of an output of this response, which is complete.
        let bytes = unsafe { bytes_of(base, size, user) }?;
        let tensor = TrackedTensor::of_bytes(datatype, shape, bytes);
        let tensor = tensor.map_err(|error| failed(format!("is invalid: {error}")))?;
        Ok((name, tensor))
    }
}

impl Drop for Response {
    fn drop(&mut self) {
        // SAFETY: the response belongs to this value and is not used any more.
        let error = unsafe { (self.library.api.response_delete)(self.raw) };
        if let Err(error) = self.library.check(error) {
            tracing::warn!(%error, "cannot delete a response of Triton's core");
        }
    }
}

fn invalid(reason: String) -> CoreError {
    CoreError::Response { reason }
}

fn datatype_of(number: i32) -> Option<DataType> {
    let mut all = DataType::ALL.into_iter();
    all.find(|datatype| i32::from(datatype.triton_number()) == number)
}

/// Returns the dimensions; `None` if one is negative.
///
/// # Safety
///
/// `dims` points to `rank` dimensions, or `rank` is 0.
unsafe fn dims_of(dims: *const i64, rank: u64) -> Option<Dims> {
    let rank = usize::try_from(rank).ok()?;
    if rank == 0 {
        return Some(Dims::from(&[][..]));
    }
    // SAFETY: the caller guarantees it.
    let dims = unsafe { slice::from_raw_parts(dims, rank) };
    let dims = dims.iter().map(|dim| usize::try_from(*dim).ok());
    dims.collect::<Option<Vec<usize>>>().map(Dims::from)
}

/// Returns the bytes of an output.
///
/// # Safety
///
/// `base`, `size` and `user` are those of an output of a complete response that is not deleted.
unsafe fn bytes_of(
    base: *const c_void,
    size: usize,
    user: *mut c_void,
) -> Result<TrackedBytes, CoreError> {
    if size == 0 {
        return Ok(TrackedBytes::from_static(&[]));
    }
    if user.is_null() {
        return Err(invalid(
            "an output is not in memory of this process".to_owned(),
        ));
    }
    // SAFETY: `allocate` passed an `Arc` of the buffer, which lives until the response is deleted.
    let buffer = unsafe { Arc::from_raw(user.cast_const().cast::<OutputBuffer>()) };
    // The count of the response remains.
    let buffer = ManuallyDrop::new(buffer);
    if size != buffer.size() || !ptr::eq(base, buffer.pointer()) {
        return Err(invalid("an output is not in its buffer".to_owned()));
    }
    // SAFETY: the response is complete.
    Ok(unsafe { buffer.bytes() }?)
}
