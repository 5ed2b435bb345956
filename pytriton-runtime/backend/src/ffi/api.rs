use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;
use std::sync::OnceLock;
use std::{mem, ptr};

use super::error::{check, to_raw};
use super::raw::{
    RawAttribute, RawError, RawFactory, RawInput, RawInstance, RawModel, RawOutput, RawRequest,
    RawResponse, RawResponseStatistics as RawStatistics,
};
use crate::failure::{Code, Failure};

macro_rules! functions {
    (
        $(#[$doc:meta])*
        struct $name:ident { $($extra:ident: $type:ty)? }
        $(fn $field:ident = $symbol:literal($($argument:ty),*) $(-> $return:ty)? $(, else $otherwise:path)?;)*
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name {
            $(pub(super) $extra: $type,)?
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) $(-> $return)?,)*
        }

        impl $name {
            fn find($($extra: $type)?) -> Result<Self, String> {
                Ok(Self {
                    $($extra,)?
                    $($field: match address($symbol) {
                        // SAFETY:
                        // - `address` is not null and is the function of that name.
                        // - The type is the one that Triton's headers declare for that name. The
                        //   backend API keeps it within a major version, which `initialize` checks.
                        Ok(address) => unsafe {
                            mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) $(-> $return)?>(address)
                        },
                        Err(missing) => functions!(@missing missing $(, $otherwise)?),
                    },)*
                })
            }
        }
    };
    (@missing $missing:ident) => { return Err($missing) };
    (@missing $missing:ident, $otherwise:path) => {{ drop($missing); $otherwise }};
}

type Error = *mut RawError;

functions! {
    /// The functions that every release has. They suffice to reject a release.
    struct Basics {}
    fn api_version = c"TRITONBACKEND_ApiVersion"(*mut u32, *mut u32) -> Error;
    fn error_new = c"TRITONSERVER_ErrorNew"(i32, *const c_char) -> Error;
    fn error_message = c"TRITONSERVER_ErrorMessage"(Error) -> *const c_char;
    fn error_delete = c"TRITONSERVER_ErrorDelete"(Error);
}

functions! {
    /// The functions of Triton that a backend calls, looked up in the process that has loaded it.
    ///
    /// They are looked up instead of linked: a binary that merely contains the backend needs no
    /// Triton to link or run.
    struct Api { release: Release }
    fn set_parallel_loading = c"TRITONBACKEND_BackendAttributeSetParallelModelInstanceLoading"(*mut RawAttribute, bool) -> Error, else not_parallel;
    fn model_name = c"TRITONBACKEND_ModelName"(*mut RawModel, *mut *const c_char) -> Error;
    fn model_version = c"TRITONBACKEND_ModelVersion"(*mut RawModel, *mut u64) -> Error;
    fn instance_model = c"TRITONBACKEND_ModelInstanceModel"(*mut RawInstance, *mut *mut RawModel) -> Error;
    fn instance_name = c"TRITONBACKEND_ModelInstanceName"(*mut RawInstance, *mut *const c_char) -> Error;
    fn instance_kind = c"TRITONBACKEND_ModelInstanceKind"(*mut RawInstance, *mut i32) -> Error;
    fn instance_device = c"TRITONBACKEND_ModelInstanceDeviceId"(*mut RawInstance, *mut i32) -> Error;
    fn instance_state = c"TRITONBACKEND_ModelInstanceState"(*mut RawInstance, *mut *mut c_void) -> Error;
    fn instance_set_state = c"TRITONBACKEND_ModelInstanceSetState"(*mut RawInstance, *mut c_void) -> Error;
    fn report_statistics = c"TRITONBACKEND_ModelInstanceReportStatistics"(*mut RawInstance, *mut RawRequest, bool, u64, u64, u64, u64) -> Error;
    fn report_batch_statistics = c"TRITONBACKEND_ModelInstanceReportBatchStatistics"(*mut RawInstance, u64, u64, u64, u64, u64) -> Error;
    fn request_id = c"TRITONBACKEND_RequestId"(*mut RawRequest, *mut *const c_char) -> Error;
    fn request_cancelled = c"TRITONBACKEND_RequestIsCancelled"(*mut RawRequest, *mut bool) -> Error, else not_cancelled;
    fn request_correlation = c"TRITONBACKEND_RequestCorrelationId"(*mut RawRequest, *mut u64) -> Error;
    fn request_correlation_text = c"TRITONBACKEND_RequestCorrelationIdString"(*mut RawRequest, *mut *const c_char) -> Error;
    fn request_flags = c"TRITONBACKEND_RequestFlags"(*mut RawRequest, *mut u32) -> Error;
    fn request_timeout = c"TRITONBACKEND_InferenceRequestTimeoutMicroseconds"(*mut RawRequest, *mut u64) -> Error, else no_timeout;
    fn request_parameter_count = c"TRITONBACKEND_RequestParameterCount"(*mut RawRequest, *mut u32) -> Error;
    fn request_parameter = c"TRITONBACKEND_RequestParameter"(*mut RawRequest, u32, *mut *const c_char, *mut i32, *mut *const c_void) -> Error;
    fn request_input_count = c"TRITONBACKEND_RequestInputCount"(*mut RawRequest, *mut u32) -> Error;
    fn request_input = c"TRITONBACKEND_RequestInputByIndex"(*mut RawRequest, u32, *mut *mut RawInput) -> Error;
    fn request_output_count = c"TRITONBACKEND_RequestOutputCount"(*mut RawRequest, *mut u32) -> Error;
    fn request_output_name = c"TRITONBACKEND_RequestOutputName"(*mut RawRequest, u32, *mut *const c_char) -> Error;
    fn request_release = c"TRITONBACKEND_RequestRelease"(*mut RawRequest, u32) -> Error;
    fn input_properties = c"TRITONBACKEND_InputProperties"(*mut RawInput, *mut *const c_char, *mut i32, *mut *const i64, *mut u32, *mut u64, *mut u32) -> Error;
    fn input_buffer = c"TRITONBACKEND_InputBuffer"(*mut RawInput, u32, *mut *const c_void, *mut u64, *mut i32, *mut i64) -> Error;
    fn response_new = c"TRITONBACKEND_ResponseNew"(*mut *mut RawResponse, *mut RawRequest) -> Error;
    fn response_delete = c"TRITONBACKEND_ResponseDelete"(*mut RawResponse) -> Error;
    fn response_output = c"TRITONBACKEND_ResponseOutput"(*mut RawResponse, *mut *mut RawOutput, *const c_char, i32, *const i64, u32) -> Error;
    fn response_send = c"TRITONBACKEND_ResponseSend"(*mut RawResponse, u32, Error) -> Error;
    fn response_set_string = c"TRITONBACKEND_ResponseSetStringParameter"(*mut RawResponse, *const c_char, *const c_char) -> Error;
    fn response_set_int = c"TRITONBACKEND_ResponseSetIntParameter"(*mut RawResponse, *const c_char, i64) -> Error;
    fn response_set_bool = c"TRITONBACKEND_ResponseSetBoolParameter"(*mut RawResponse, *const c_char, bool) -> Error;
    fn response_set_double = c"TRITONBACKEND_ResponseSetDoubleParameter"(*mut RawResponse, *const c_char, f64) -> Error, else no_double;
    fn factory_new = c"TRITONBACKEND_ResponseFactoryNew"(*mut *mut RawFactory, *mut RawRequest) -> Error;
    fn factory_delete = c"TRITONBACKEND_ResponseFactoryDelete"(*mut RawFactory) -> Error;
    fn factory_send_flags = c"TRITONBACKEND_ResponseFactorySendFlags"(*mut RawFactory, u32) -> Error;
    fn response_from_factory = c"TRITONBACKEND_ResponseNewFromFactory"(*mut *mut RawResponse, *mut RawFactory) -> Error;
    fn statistics_new = c"TRITONBACKEND_ModelInstanceResponseStatisticsNew"(*mut *mut RawStatistics) -> Error, else no_statistics;
    fn statistics_delete = c"TRITONBACKEND_ModelInstanceResponseStatisticsDelete"(*mut RawStatistics) -> Error, else report_nothing;
    fn statistics_set_instance = c"TRITONBACKEND_ModelInstanceResponseStatisticsSetModelInstance"(*mut RawStatistics, *mut RawInstance) -> Error, else report_nothing_about;
    fn statistics_set_factory = c"TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseFactory"(*mut RawStatistics, *mut RawFactory) -> Error, else report_nothing_about;
    fn statistics_set_start = c"TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseStart"(*mut RawStatistics, u64) -> Error, else report_nothing_at;
    fn statistics_set_output = c"TRITONBACKEND_ModelInstanceResponseStatisticsSetComputeOutputStart"(*mut RawStatistics, u64) -> Error, else report_nothing_at;
    fn statistics_set_end = c"TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseEnd"(*mut RawStatistics, u64) -> Error, else report_nothing_at;
    fn statistics_set_error = c"TRITONBACKEND_ModelInstanceResponseStatisticsSetError"(*mut RawStatistics, Error) -> Error, else report_nothing_about;
    fn report_response = c"TRITONBACKEND_ModelInstanceReportResponseStatistics"(*mut RawStatistics) -> Error, else report_nothing;
    fn output_buffer = c"TRITONBACKEND_OutputBuffer"(*mut RawOutput, *mut *mut c_void, u64, *mut i32, *mut i64) -> Error;
}

/// The server's version of the API.
#[derive(Debug)]
pub(super) struct Release {
    basics: &'static Basics,
    minor: u32,
}

/// The minor version that introduced `TRITONSERVER_PARAMETER_DOUBLE`, with the number that
/// `TRITONSERVER_PARAMETER_BYTES` had before (core, February 2024: "Support Double-Type Inference
/// Request/Response Parameters").
const DOUBLE_PARAMETERS: u32 = 18;

impl Release {
    /// Creates a release of the supported major version.
    pub(super) fn new(basics: &'static Basics, minor: u32) -> Self {
        Self { basics, minor }
    }

    fn get() -> Result<Self, String> {
        let basics = Basics::get()?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are valid for writes.
        let error = unsafe { (basics.api_version)(&raw mut major, &raw mut minor) };
        check(basics, error).map_err(|failure| failure.message)?;
        Ok(Self::new(basics, minor))
    }

    /// Returns whether request parameters can be floating-point numbers.
    pub(super) fn has_double_parameters(&self) -> bool {
        self.minor >= DOUBLE_PARAMETERS
    }
}

impl Deref for Api {
    type Target = Basics;

    fn deref(&self) -> &Basics {
        self.release.basics
    }
}

impl Basics {
    /// Returns the functions. The first call looks them up.
    ///
    /// # Errors
    ///
    /// Returns the name of a function that this process does not have.
    pub(super) fn get() -> Result<&'static Self, String> {
        static BASICS: OnceLock<Result<Basics, String>> = OnceLock::new();
        BASICS
            .get_or_init(Self::find)
            .as_ref()
            .map_err(Clone::clone)
    }
}

impl Api {
    /// Returns the functions. The first call looks them up.
    ///
    /// # Errors
    ///
    /// Returns a [`Failure`] that names a function that this process does not have.
    pub(super) fn get() -> Result<&'static Self, Failure> {
        static API: OnceLock<Result<Api, String>> = OnceLock::new();
        API.get_or_init(|| Self::find(Release::get()?))
            .as_ref()
            .map_err(|missing| Failure::new(Code::Unsupported, missing))
    }
}

/// Before API 1.14, the instances of a model are initialized one after the other.
unsafe extern "C" fn not_parallel(_: *mut RawAttribute, _: bool) -> Error {
    ptr::null_mut()
}

/// Before October 2023, in API 1.16, requests could not be cancelled.
unsafe extern "C" fn not_cancelled(_: *mut RawRequest, cancelled: *mut bool) -> Error {
    // SAFETY: a pointer that is valid for writes, as for Triton's own function.
    unsafe { cancelled.write(false) };
    ptr::null_mut()
}

/// Before API 1.17, a backend does not receive the timeout of a request.
unsafe extern "C" fn no_timeout(_: *mut RawRequest, timeout: *mut u64) -> Error {
    // SAFETY: as above.
    unsafe { timeout.write(0) };
    ptr::null_mut()
}

/// Before API 1.18, a response cannot have a parameter of that type.
unsafe extern "C" fn no_double(_: *mut RawResponse, _: *const c_char, _: f64) -> Error {
    let failure = Failure::new(
        Code::Unsupported,
        "this tritonserver does not support floating-point response parameters",
    );
    // The caller was itself called by such a server.
    Basics::get().map_or(ptr::null_mut(), |basics| to_raw(&failure, basics))
}

/// Before API 1.19, there are no response statistics.
unsafe extern "C" fn no_statistics(statistics: *mut *mut RawStatistics) -> Error {
    // SAFETY: as above.
    unsafe { statistics.write(ptr::null_mut()) };
    ptr::null_mut()
}

unsafe extern "C" fn report_nothing(_: *mut RawStatistics) -> Error {
    ptr::null_mut()
}

unsafe extern "C" fn report_nothing_about<T>(_: *mut RawStatistics, _: *mut T) -> Error {
    ptr::null_mut()
}

unsafe extern "C" fn report_nothing_at(_: *mut RawStatistics, _: u64) -> Error {
    ptr::null_mut()
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// Returns the next definition of a function after this library's own, or null.
#[cfg(pytriton_library)]
pub(super) fn next(symbol: &CStr) -> *const c_void {
    let after_this_one = ptr::without_provenance_mut(usize::MAX);
    // SAFETY:
    // - The handle is `RTLD_NEXT`: the definition after this library in the search order of the
    //   process.
    // - `symbol` ends with a zero byte and outlives the call.
    unsafe { dlsym(after_this_one, symbol.as_ptr()) }
}

fn address(symbol: &CStr) -> Result<*mut c_void, String> {
    // SAFETY:
    // - A null handle is `RTLD_DEFAULT`, the search order of the process.
    // - `symbol` ends with a zero byte and outlives the call.
    let address = unsafe { dlsym(ptr::null_mut(), symbol.as_ptr()) };
    if address.is_null() {
        let symbol = symbol.to_string_lossy();
        return Err(format!("this tritonserver has no function {symbol}"));
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_functions_are_replaced() {
        let request = ptr::null_mut();
        let (mut cancelled, mut timeout) = (true, 1);
        // SAFETY: `cancelled` is valid for writes.
        assert!(unsafe { not_cancelled(request, &raw mut cancelled) }.is_null());
        // SAFETY: `timeout` is valid for writes.
        assert!(unsafe { no_timeout(request, &raw mut timeout) }.is_null());
        assert_eq!((cancelled, timeout), (false, 0));
    }

    #[test]
    fn missing_required_functions_are_named() {
        let missing = Basics::get().unwrap_err();
        assert_eq!(
            missing,
            "this tritonserver has no function TRITONBACKEND_ApiVersion"
        );
    }
}
