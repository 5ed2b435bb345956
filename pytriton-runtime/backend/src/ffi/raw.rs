//! Triton's opaque types and numbers.
//!
//! Source: `tritonserver.h` and `tritonbackend.h` of Triton 2.51.

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $name {
            _opaque: [u8; 0],
        }
    )*};
}

opaque! {
    /// `TRITONSERVER_Error`.
    RawError,
    /// `TRITONBACKEND_Backend`.
    RawBackend,
    /// `TRITONBACKEND_BackendAttribute`.
    RawAttribute,
    /// `TRITONBACKEND_Model`.
    RawModel,
    /// `TRITONBACKEND_ModelInstance`.
    RawInstance,
    /// `TRITONBACKEND_Request`.
    RawRequest,
    /// `TRITONBACKEND_Input`.
    RawInput,
    /// `TRITONBACKEND_Response`.
    RawResponse,
    /// `TRITONBACKEND_Output`.
    RawOutput,
}

/// The release of the backend API that this is written against; an older minor release lacks functions.
pub(super) const API_VERSION: (u32, u32) = (1, 17);

/// `TRITONSERVER_MEMORY_GPU`: the one kind of memory that the CPU cannot read.
pub(super) const MEMORY_GPU: i32 = 2;
/// `TRITONSERVER_MEMORY_CPU`.
pub(super) const MEMORY_CPU: i32 = 0;
/// `TRITONSERVER_RESPONSE_COMPLETE_FINAL`.
pub(super) const RESPONSE_FINAL: u32 = 1;
/// `TRITONSERVER_REQUEST_RELEASE_ALL`.
pub(super) const RELEASE_ALL: u32 = 1;

/// `TRITONSERVER_PARAMETER_*`.
pub(super) const PARAMETER_STRING: i32 = 0;
pub(super) const PARAMETER_INT: i32 = 1;
pub(super) const PARAMETER_BOOL: i32 = 2;
pub(super) const PARAMETER_DOUBLE: i32 = 3;
