/// Exports the entry points of a Triton backend that uses an [`Executor`](crate::ffi::Executor).
#[macro_export]
macro_rules! export {
    ($executor:ty) => {
        #[allow(unsafe_code, reason = "the entry points of a C API")]
        const _: () = {
            use $crate::ffi::{self, RawAttribute, RawBackend, RawError, RawInstance, RawRequest};

            #[unsafe(no_mangle)]
            unsafe extern "C" fn TRITONBACKEND_Initialize(
                backend: *mut RawBackend,
            ) -> *mut RawError {
                // SAFETY: called by Triton.
                unsafe { ffi::initialize(backend) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn TRITONBACKEND_GetBackendAttribute(
                backend: *mut RawBackend,
                attributes: *mut RawAttribute,
            ) -> *mut RawError {
                // SAFETY: called by Triton.
                unsafe { ffi::set_attributes(backend, attributes) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn TRITONBACKEND_ModelInstanceInitialize(
                instance: *mut RawInstance,
            ) -> *mut RawError {
                // SAFETY: called by Triton.
                unsafe { ffi::initialize_instance::<$executor>(instance) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn TRITONBACKEND_ModelInstanceFinalize(
                instance: *mut RawInstance,
            ) -> *mut RawError {
                // SAFETY: called by Triton, for an instance that was initialized above.
                unsafe { ffi::finalize_instance::<$executor>(instance) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn TRITONBACKEND_ModelInstanceExecute(
                instance: *mut RawInstance,
                requests: *mut *mut RawRequest,
                count: u32,
            ) -> *mut RawError {
                // SAFETY: called by Triton, for an instance that was initialized above.
                unsafe { ffi::execute::<$executor>(instance, requests, count) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn TRITONBACKEND_ModelInstanceReady(
                instance: *mut RawInstance,
            ) -> *mut RawError {
                // SAFETY: called by Triton, for an instance that was initialized above.
                unsafe { ffi::instance_ready::<$executor>(instance) }
            }
        };
    };
}
