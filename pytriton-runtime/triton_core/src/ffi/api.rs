use std::ffi::{c_char, c_void};
use std::mem;

use super::loader::Handle;
use super::raw::{
    RawAllocator, RawError, RawMessage, RawMetrics, RawOptions, RawParameter, RawRequest,
    RawResponse, RawServer, RawTrace,
};

pub(super) type Error = *mut RawError;

/// `TRITONSERVER_ResponseAllocatorAllocFn_t`.
pub(super) type AllocateFn = unsafe extern "C" fn(
    *mut RawAllocator,
    *const c_char,
    usize,
    i32,
    i64,
    *mut c_void,
    *mut *mut c_void,
    *mut *mut c_void,
    *mut i32,
    *mut i64,
) -> Error;

/// `TRITONSERVER_ResponseAllocatorReleaseFn_t`.
pub(super) type ReleaseBufferFn =
    unsafe extern "C" fn(*mut RawAllocator, *mut c_void, *mut c_void, usize, i32, i64) -> Error;

/// `TRITONSERVER_ResponseAllocatorStartFn_t`, which may be null.
pub(super) type StartFn = Option<unsafe extern "C" fn(*mut RawAllocator, *mut c_void) -> Error>;

/// `TRITONSERVER_InferenceRequestReleaseFn_t`.
pub(super) type ReleaseFn = unsafe extern "C" fn(*mut RawRequest, u32, *mut c_void);

/// `TRITONSERVER_InferenceResponseCompleteFn_t`.
pub(super) type CompleteFn = unsafe extern "C" fn(*mut RawResponse, u32, *mut c_void);

macro_rules! functions {
    (
        $(#[$doc:meta])*
        struct $name:ident
        $(fn $field:ident = $symbol:literal($($argument:ty),* $(,)?) $(-> $return:ty)?;)*
        $(optional fn $late:ident = $late_symbol:literal($($late_argument:ty),*) -> $late_return:ty;)*
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) $(-> $return)?,)*
            $(pub(super) $late: Option<unsafe extern "C" fn($($late_argument),*) -> $late_return>,)*
        }

        impl $name {
            /// Looks up the functions.
            ///
            /// # Errors
            ///
            /// Returns the name of a function that the library does not have.
            pub(super) fn find(library: Handle) -> Result<Self, String> {
                Ok(Self {
                    $($field: match library.find($symbol) {
                        address if address.is_null() => {
                            return Err($symbol.to_string_lossy().into_owned());
                        }
                        // SAFETY:
                        // - `address` is not null and is the function of that name.
                        // - The type is the one that Triton's headers declare for that name in
                        //   every release of the major version, which `Library::open` checks.
                        address => unsafe {
                            mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) $(-> $return)?>(address)
                        },
                    },)*
                    $($late: match library.find($late_symbol) {
                        address if address.is_null() => None,
                        // SAFETY: as above.
                        address => Some(unsafe {
                            mem::transmute::<*mut c_void, unsafe extern "C" fn($($late_argument),*) -> $late_return>(address)
                        }),
                    },)*
                })
            }
        }
    };
}

functions! {
    /// The functions that every release has. They suffice to reject a release.
    struct Basics
    fn api_version = c"TRITONSERVER_ApiVersion"(*mut u32, *mut u32) -> Error;
    fn error_code = c"TRITONSERVER_ErrorCode"(Error) -> i32;
    fn error_message = c"TRITONSERVER_ErrorMessage"(Error) -> *const c_char;
    fn error_new = c"TRITONSERVER_ErrorNew"(i32, *const c_char) -> Error;
    fn error_delete = c"TRITONSERVER_ErrorDelete"(Error);
}

functions! {
    /// The functions of Triton's core that this crate calls.
    struct Api
    fn options_new = c"TRITONSERVER_ServerOptionsNew"(*mut *mut RawOptions) -> Error;
    fn options_delete = c"TRITONSERVER_ServerOptionsDelete"(*mut RawOptions) -> Error;
    fn set_server_id = c"TRITONSERVER_ServerOptionsSetServerId"(*mut RawOptions, *const c_char) -> Error;
    fn add_repository = c"TRITONSERVER_ServerOptionsSetModelRepositoryPath"(*mut RawOptions, *const c_char) -> Error;
    fn set_control_mode = c"TRITONSERVER_ServerOptionsSetModelControlMode"(*mut RawOptions, i32) -> Error;
    fn add_startup_model = c"TRITONSERVER_ServerOptionsSetStartupModel"(*mut RawOptions, *const c_char) -> Error;
    fn set_strict_readiness = c"TRITONSERVER_ServerOptionsSetStrictReadiness"(*mut RawOptions, bool) -> Error;
    fn set_exit_on_error = c"TRITONSERVER_ServerOptionsSetExitOnError"(*mut RawOptions, bool) -> Error;
    fn set_exit_timeout = c"TRITONSERVER_ServerOptionsSetExitTimeout"(*mut RawOptions, u32) -> Error;
    fn set_pinned_bytes = c"TRITONSERVER_ServerOptionsSetPinnedMemoryPoolByteSize"(*mut RawOptions, u64) -> Error;
    fn set_cache_config = c"TRITONSERVER_ServerOptionsSetCacheConfig"(*mut RawOptions, *const c_char, *const c_char) -> Error;
    fn set_cache_directory = c"TRITONSERVER_ServerOptionsSetCacheDirectory"(*mut RawOptions, *const c_char) -> Error;
    fn set_backend_directory = c"TRITONSERVER_ServerOptionsSetBackendDirectory"(*mut RawOptions, *const c_char) -> Error;
    fn set_backend_config = c"TRITONSERVER_ServerOptionsSetBackendConfig"(*mut RawOptions, *const c_char, *const c_char, *const c_char) -> Error;
    fn set_log_info = c"TRITONSERVER_ServerOptionsSetLogInfo"(*mut RawOptions, bool) -> Error;
    fn set_log_warn = c"TRITONSERVER_ServerOptionsSetLogWarn"(*mut RawOptions, bool) -> Error;
    fn set_log_error = c"TRITONSERVER_ServerOptionsSetLogError"(*mut RawOptions, bool) -> Error;
    fn set_log_verbose = c"TRITONSERVER_ServerOptionsSetLogVerbose"(*mut RawOptions, i32) -> Error;
    fn set_metrics = c"TRITONSERVER_ServerOptionsSetMetrics"(*mut RawOptions, bool) -> Error;
    fn set_gpu_metrics = c"TRITONSERVER_ServerOptionsSetGpuMetrics"(*mut RawOptions, bool) -> Error;
    fn set_cpu_metrics = c"TRITONSERVER_ServerOptionsSetCpuMetrics"(*mut RawOptions, bool) -> Error;

    fn server_new = c"TRITONSERVER_ServerNew"(*mut *mut RawServer, *mut RawOptions) -> Error;
    fn server_stop = c"TRITONSERVER_ServerStop"(*mut RawServer) -> Error;
    fn server_delete = c"TRITONSERVER_ServerDelete"(*mut RawServer) -> Error;
    fn is_live = c"TRITONSERVER_ServerIsLive"(*mut RawServer, *mut bool) -> Error;
    fn is_ready = c"TRITONSERVER_ServerIsReady"(*mut RawServer, *mut bool) -> Error;
    fn model_is_ready = c"TRITONSERVER_ServerModelIsReady"(*mut RawServer, *const c_char, i64, *mut bool) -> Error;
    fn metadata = c"TRITONSERVER_ServerMetadata"(*mut RawServer, *mut *mut RawMessage) -> Error;
    fn model_metadata = c"TRITONSERVER_ServerModelMetadata"(*mut RawServer, *const c_char, i64, *mut *mut RawMessage) -> Error;
    fn model_statistics = c"TRITONSERVER_ServerModelStatistics"(*mut RawServer, *const c_char, i64, *mut *mut RawMessage) -> Error;
    fn model_config = c"TRITONSERVER_ServerModelConfig"(*mut RawServer, *const c_char, i64, u32, *mut *mut RawMessage) -> Error;
    fn model_index = c"TRITONSERVER_ServerModelIndex"(*mut RawServer, u32, *mut *mut RawMessage) -> Error;
    fn load_model = c"TRITONSERVER_ServerLoadModel"(*mut RawServer, *const c_char) -> Error;
    fn load_model_with = c"TRITONSERVER_ServerLoadModelWithParameters"(*mut RawServer, *const c_char, *const *const RawParameter, u64) -> Error;
    fn unload_model = c"TRITONSERVER_ServerUnloadModel"(*mut RawServer, *const c_char) -> Error;
    fn unload_dependents = c"TRITONSERVER_ServerUnloadModelAndDependents"(*mut RawServer, *const c_char) -> Error;
    fn server_metrics = c"TRITONSERVER_ServerMetrics"(*mut RawServer, *mut *mut RawMetrics) -> Error;
    fn infer = c"TRITONSERVER_ServerInferAsync"(*mut RawServer, *mut RawRequest, *mut RawTrace) -> Error;

    fn message_json = c"TRITONSERVER_MessageSerializeToJson"(*mut RawMessage, *mut *const c_char, *mut usize) -> Error;
    fn message_delete = c"TRITONSERVER_MessageDelete"(*mut RawMessage) -> Error;
    fn metrics_text = c"TRITONSERVER_MetricsFormatted"(*mut RawMetrics, i32, *mut *const c_char, *mut usize) -> Error;
    fn metrics_delete = c"TRITONSERVER_MetricsDelete"(*mut RawMetrics) -> Error;
    fn parameter_new = c"TRITONSERVER_ParameterNew"(*const c_char, i32, *const c_void) -> *mut RawParameter;
    fn parameter_delete = c"TRITONSERVER_ParameterDelete"(*mut RawParameter);
    fn allocator_new = c"TRITONSERVER_ResponseAllocatorNew"(*mut *mut RawAllocator, AllocateFn, ReleaseBufferFn, StartFn) -> Error;

    fn request_new = c"TRITONSERVER_InferenceRequestNew"(*mut *mut RawRequest, *mut RawServer, *const c_char, i64) -> Error;
    fn request_delete = c"TRITONSERVER_InferenceRequestDelete"(*mut RawRequest) -> Error;
    fn request_cancel = c"TRITONSERVER_InferenceRequestCancel"(*mut RawRequest) -> Error;
    fn set_id = c"TRITONSERVER_InferenceRequestSetId"(*mut RawRequest, *const c_char) -> Error;
    fn set_flags = c"TRITONSERVER_InferenceRequestSetFlags"(*mut RawRequest, u32) -> Error;
    fn set_correlation = c"TRITONSERVER_InferenceRequestSetCorrelationId"(*mut RawRequest, u64) -> Error;
    fn set_correlation_text = c"TRITONSERVER_InferenceRequestSetCorrelationIdString"(*mut RawRequest, *const c_char) -> Error;
    fn set_priority = c"TRITONSERVER_InferenceRequestSetPriorityUInt64"(*mut RawRequest, u64) -> Error;
    fn set_timeout = c"TRITONSERVER_InferenceRequestSetTimeoutMicroseconds"(*mut RawRequest, u64) -> Error;
    fn add_input = c"TRITONSERVER_InferenceRequestAddInput"(*mut RawRequest, *const c_char, i32, *const i64, u64) -> Error;
    fn add_data = c"TRITONSERVER_InferenceRequestAppendInputData"(*mut RawRequest, *const c_char, *const c_void, usize, i32, i64) -> Error;
    fn add_output = c"TRITONSERVER_InferenceRequestAddRequestedOutput"(*mut RawRequest, *const c_char) -> Error;
    fn set_string = c"TRITONSERVER_InferenceRequestSetStringParameter"(*mut RawRequest, *const c_char, *const c_char) -> Error;
    fn set_int = c"TRITONSERVER_InferenceRequestSetIntParameter"(*mut RawRequest, *const c_char, i64) -> Error;
    fn set_bool = c"TRITONSERVER_InferenceRequestSetBoolParameter"(*mut RawRequest, *const c_char, bool) -> Error;
    fn set_release = c"TRITONSERVER_InferenceRequestSetReleaseCallback"(*mut RawRequest, ReleaseFn, *mut c_void) -> Error;
    fn set_complete = c"TRITONSERVER_InferenceRequestSetResponseCallback"(*mut RawRequest, *mut RawAllocator, *mut c_void, CompleteFn, *mut c_void) -> Error;

    fn response_delete = c"TRITONSERVER_InferenceResponseDelete"(*mut RawResponse) -> Error;
    fn response_error = c"TRITONSERVER_InferenceResponseError"(*mut RawResponse) -> Error;
    fn response_model = c"TRITONSERVER_InferenceResponseModel"(*mut RawResponse, *mut *const c_char, *mut i64) -> Error;
    fn response_id = c"TRITONSERVER_InferenceResponseId"(*mut RawResponse, *mut *const c_char) -> Error;
    fn parameter_count = c"TRITONSERVER_InferenceResponseParameterCount"(*mut RawResponse, *mut u32) -> Error;
    fn parameter = c"TRITONSERVER_InferenceResponseParameter"(*mut RawResponse, u32, *mut *const c_char, *mut i32, *mut *const c_void) -> Error;
    fn output_count = c"TRITONSERVER_InferenceResponseOutputCount"(*mut RawResponse, *mut u32) -> Error;
    fn output = c"TRITONSERVER_InferenceResponseOutput"(*mut RawResponse, u32, *mut *const c_char, *mut i32, *mut *const i64, *mut u64, *mut *const c_void, *mut usize, *mut i32, *mut i64, *mut *mut c_void) -> Error;
    // Since API 1.28, which also introduced parameters of that type in responses.
    optional fn set_double = c"TRITONSERVER_InferenceRequestSetDoubleParameter"(*mut RawRequest, *const c_char, f64) -> Error;
}
