//! Triton's opaque types and constants.
//!
//! Source: `tritonserver.h` of Triton 2.51.

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        pub(super) struct $name {
            _opaque: [u8; 0],
        }
    )*};
}

opaque! {
    /// `TRITONSERVER_Error`.
    RawError,
    /// `TRITONSERVER_Server`.
    RawServer,
    /// `TRITONSERVER_ServerOptions`.
    RawOptions,
    /// `TRITONSERVER_Message`.
    RawMessage,
    /// `TRITONSERVER_Metrics`.
    RawMetrics,
    /// `TRITONSERVER_Parameter`.
    RawParameter,
    /// `TRITONSERVER_ResponseAllocator`.
    RawAllocator,
    /// `TRITONSERVER_InferenceRequest`.
    RawRequest,
    /// `TRITONSERVER_InferenceResponse`.
    RawResponse,
    /// `TRITONSERVER_InferenceTrace`.
    RawTrace,
}

/// `TRITONSERVER_MEMORY_CPU`.
pub(super) const MEMORY_CPU: i32 = 0;
/// `TRITONSERVER_MEMORY_GPU`.
pub(super) const MEMORY_GPU: i32 = 2;

/// `TRITONSERVER_PARAMETER_STRING`.
pub(super) const PARAMETER_STRING: i32 = 0;
/// `TRITONSERVER_PARAMETER_INT`.
pub(super) const PARAMETER_INT: i32 = 1;
/// `TRITONSERVER_PARAMETER_BOOL`.
pub(super) const PARAMETER_BOOL: i32 = 2;
/// `TRITONSERVER_PARAMETER_DOUBLE`, in releases that have it.
pub(super) const PARAMETER_DOUBLE: i32 = 3;

/// `TRITONSERVER_REQUEST_FLAG_SEQUENCE_START`.
pub(super) const SEQUENCE_START: u32 = 1;
/// `TRITONSERVER_REQUEST_FLAG_SEQUENCE_END`.
pub(super) const SEQUENCE_END: u32 = 2;

/// `TRITONSERVER_REQUEST_RELEASE_ALL`.
pub(super) const RELEASE_ALL: u32 = 1;

/// `TRITONSERVER_RESPONSE_COMPLETE_FINAL`.
pub(super) const RESPONSE_FINAL: u32 = 1;

/// `TRITONSERVER_METRIC_PROMETHEUS`.
pub(super) const METRICS_PROMETHEUS: i32 = 0;

/// The only version of the model configuration.
pub(super) const CONFIG_VERSION: u32 = 1;
