//! Triton's opaque types and constants.
//!
//! Source: `tritonserver.h` and `tritonbackend.h` of Triton 2.51.

macro_rules! opaque {
    ($($(#[$doc:meta])* $visible:vis $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        $visible struct $name {
            _opaque: [u8; 0],
        }
    )*};
}

opaque! {
    /// `TRITONSERVER_Error`.
    pub RawError,
    /// `TRITONBACKEND_Backend`.
    pub RawBackend,
    /// `TRITONBACKEND_BackendAttribute`.
    pub RawAttribute,
    /// `TRITONBACKEND_Model`.
    pub(super) RawModel,
    /// `TRITONBACKEND_ModelInstance`.
    pub RawInstance,
    /// `TRITONBACKEND_Request`.
    pub RawRequest,
    /// `TRITONBACKEND_Input`.
    pub(super) RawInput,
    /// `TRITONBACKEND_Response`.
    pub(super) RawResponse,
    /// `TRITONBACKEND_ResponseFactory`.
    pub(super) RawFactory,
    /// `TRITONBACKEND_ModelInstanceResponseStatistics`.
    pub(super) RawResponseStatistics,
    /// `TRITONBACKEND_Output`.
    pub(super) RawOutput,
}

/// The oldest supported version of the backend API. It introduced request parameters.
pub(super) const API_VERSION: (u32, u32) = (1, 12);

/// `TRITONSERVER_MEMORY_GPU`: the only kind of memory that the CPU cannot read.
pub(super) const MEMORY_GPU: i32 = 2;
/// `TRITONSERVER_MEMORY_CPU`.
pub(super) const MEMORY_CPU: i32 = 0;
/// `TRITONSERVER_INSTANCEGROUPKIND_GPU`.
pub(super) const INSTANCE_ON_GPU: i32 = 2;
/// `TRITONSERVER_TYPE_INVALID`.
pub(super) const TYPE_INVALID: i32 = 0;
/// `TRITONSERVER_RESPONSE_COMPLETE_FINAL`.
pub(super) const RESPONSE_FINAL: u32 = 1;
/// No flag: more responses may follow.
pub(super) const RESPONSE_PART: u32 = 0;
/// `TRITONSERVER_REQUEST_RELEASE_ALL`.
pub(super) const RELEASE_ALL: u32 = 1;

/// `TRITONSERVER_REQUEST_FLAG_SEQUENCE_START`.
pub(super) const SEQUENCE_START: u32 = 1;
/// `TRITONSERVER_REQUEST_FLAG_SEQUENCE_END`.
pub(super) const SEQUENCE_END: u32 = 2;

/// `TRITONSERVER_PARAMETER_*`. Up to API 1.17 the last number is that of
/// `TRITONSERVER_PARAMETER_BYTES`, which has another one since.
pub(super) const PARAMETER_STRING: i32 = 0;
pub(super) const PARAMETER_INT: i32 = 1;
pub(super) const PARAMETER_BOOL: i32 = 2;
pub(super) const PARAMETER_DOUBLE: i32 = 3;
