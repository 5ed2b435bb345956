use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;

use super::api::{Api, Basics};
use super::batch::Batch;
use super::error::{check, to_raw};
use super::executor::Executor;
use super::loaded_instance::LoadedInstance;
#[cfg(pytriton_library)]
use super::notify::batch_is_over;
use super::raw::{
    API_VERSION, INSTANCE_ON_GPU, RawAttribute, RawBackend, RawError, RawInstance, RawRequest,
};
use crate::failure::{Code, Failure};
use crate::instance::Instance;

/// The message for an instance without state.
const NOT_INITIALIZED: &str = "the instance was not initialized";

/// `TRITONBACKEND_Initialize`.
///
/// # Safety
///
/// Must be called by Triton.
pub unsafe fn initialize(_backend: *mut RawBackend) -> *mut RawError {
    guarded_basics(|basics| {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are valid for writes.
        let error = unsafe { (basics.api_version)(&raw mut major, &raw mut minor) };
        check(basics, error)?;
        let (wanted_major, wanted_minor) = API_VERSION;
        if major == wanted_major && minor >= wanted_minor {
            // Without it the server works but takes longer to stop.
            #[cfg(pytriton_library)]
            let _ = crate::shm::serve_descriptors();
            return Api::get().map(drop);
        }
        let message = format!(
            "tritonserver has version {major}.{minor} of the backend API, but {wanted_major}.{wanted_minor} or a later {wanted_major}.x is required"
        );
        Err(Failure::new(Code::Unsupported, message))
    })
}

/// `TRITONBACKEND_GetBackendAttribute`.
///
/// # Safety
///
/// Must be called by Triton.
pub unsafe fn set_attributes(
    _backend: *mut RawBackend,
    attributes: *mut RawAttribute,
) -> *mut RawError {
    guarded(|api| {
        // SAFETY: `attributes` is Triton's, live for this call.
        let error = unsafe { (api.set_parallel_loading)(attributes, true) };
        check(api, error)
    })
}

/// `TRITONBACKEND_ModelInstanceInitialize`.
///
/// # Safety
///
/// Must be called by Triton.
pub unsafe fn initialize_instance<E: Executor>(instance: *mut RawInstance) -> *mut RawError {
    guarded(|api| {
        // SAFETY: `instance` is Triton's, live for this call.
        let description = unsafe { describe(api, instance) }?;
        let loaded = Box::into_raw(Box::new(LoadedInstance::<E>::start(&description)?));
        // SAFETY: as above; Triton only stores the pointer.
        let error = unsafe { (api.instance_set_state)(instance, loaded.cast::<c_void>()) };
        check(api, error).inspect_err(|_| {
            // SAFETY: the pointer came from a box of this type, and Triton has not stored it.
            drop(unsafe { Box::from_raw(loaded) });
        })
    })
}

/// `TRITONBACKEND_ModelInstanceFinalize`.
///
/// When it returns, every batch of the instance is completed.
///
/// # Safety
///
/// Must be called by Triton, for an instance that `initialize_instance::<E>` has initialized.
pub unsafe fn finalize_instance<E: Executor>(instance: *mut RawInstance) -> *mut RawError {
    guarded(|api| {
        // SAFETY: `instance` is Triton's, live for this call.
        let state = unsafe { state::<E>(api, instance) }?;
        // SAFETY: as above.
        let error = unsafe { (api.instance_set_state)(instance, ptr::null_mut()) };
        check(api, error)?;
        if !state.is_null() {
            // SAFETY: the pointer came from a box of this type, and Triton has just dropped it.
            drop(unsafe { Box::from_raw(state) });
        }
        Ok(())
    })
}

/// `TRITONBACKEND_ModelInstanceExecute`.
///
/// # Safety
///
/// Must be called by Triton, for an instance that `initialize_instance::<E>` has initialized.
pub unsafe fn execute<E: Executor>(
    instance: *mut RawInstance,
    requests: *mut *mut RawRequest,
    count: u32,
) -> *mut RawError {
    guarded(|api| {
        // SAFETY: `instance` is Triton's, live for this call.
        let state = unsafe { state::<E>(api, instance) }?;
        // SAFETY: the pointer, if not null, came from a box of this type, and is only used as a
        // shared reference.
        let Some(loaded) = (unsafe { state.as_ref() }) else {
            return Err(Failure::internal(NOT_INITIALIZED));
        };
        // SAFETY: Triton passes a non-empty array of `count` requests.
        let requests = unsafe { slice::from_raw_parts(requests, count as usize) };
        // From here on the requests belong to the backend. An error, or a panic that becomes one,
        // would return them to Triton a second time.
        let _abort = AbortOnUnwind;
        // SAFETY:
        // - The instance is live until it is finalized, which waits until the guard of `enter` is
        //   dropped.
        // - The requests are live and owned by the backend.
        let batch = unsafe { Batch::new(api, (instance, loaded.enter()), requests) };
        let _ = catch_unwind(AssertUnwindSafe(|| loaded.execute(batch)));
        #[cfg(pytriton_library)]
        batch_is_over();
        Ok(())
    })
}

/// `TRITONBACKEND_ModelInstanceReady`.
///
/// Servers since 25.12 call it for every readiness query, also while the instance executes a batch.
/// They consider a model ready only if all its instances are, so each instance responds for the
/// whole model.
///
/// # Safety
///
/// Must be called by Triton, for an instance that `initialize_instance::<E>` has initialized.
pub unsafe fn instance_ready<E: Executor>(instance: *mut RawInstance) -> *mut RawError {
    guarded(|api| {
        // SAFETY: `instance` is Triton's, live for this call.
        let state = unsafe { state::<E>(api, instance) }?;
        // SAFETY: as in `execute`.
        let Some(loaded) = (unsafe { state.as_ref() }) else {
            return Err(Failure::internal(NOT_INITIALIZED));
        };
        match loaded.model_is_ready() {
            true => Ok(()),
            false => Err(Failure::new(
                Code::Unavailable,
                "no instance of the model can execute batches",
            )),
        }
    })
}

/// Aborts the process if a panic unwinds through it.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

/// Calls `body` with Triton's functions, and converts a failure or panic into Triton's error.
fn guarded(body: impl FnOnce(&'static Api) -> Result<(), Failure>) -> *mut RawError {
    guarded_basics(|_| Api::get().and_then(body))
}

/// Same as [`guarded`], with the functions that every release has.
fn guarded_basics(body: impl FnOnce(&'static Basics) -> Result<(), Failure>) -> *mut RawError {
    let basics = match Basics::get() {
        Ok(basics) => basics,
        Err(missing) => {
            // Every server has these functions. Without them no error can be created, so it cannot
            // be reported to the caller.
            eprintln!("pytriton: {missing}");
            std::process::abort();
        }
    };
    // A panic ends only the call in which it occurs; no state shared between calls is left
    // inconsistent.
    let done = catch_unwind(AssertUnwindSafe(|| body(basics)));
    match done {
        Ok(Ok(())) => ptr::null_mut(),
        Ok(Err(failure)) => to_raw(&failure, basics),
        Err(_) => to_raw(&Failure::internal("the backend panicked"), basics),
    }
}

/// Returns the description of an instance.
///
/// # Safety
///
/// `instance` must be live.
unsafe fn describe(api: &Api, instance: *mut RawInstance) -> Result<Instance, Failure> {
    let mut model = ptr::null_mut();
    // SAFETY: the instance is live, `model` is valid for writes.
    let error = unsafe { (api.instance_model)(instance, &raw mut model) };
    check(api, error)?;
    let (mut name, mut version, mut instance_name) = (ptr::null(), 0, ptr::null());
    // SAFETY: an instance's model is live, `name` is valid for writes.
    let error = unsafe { (api.model_name)(model, &raw mut name) };
    check(api, error)?;
    // SAFETY: as above.
    let error = unsafe { (api.model_version)(model, &raw mut version) };
    check(api, error)?;
    // SAFETY: the instance is live, `instance_name` is valid for writes.
    let error = unsafe { (api.instance_name)(instance, &raw mut instance_name) };
    check(api, error)?;
    let (mut kind, mut device) = (0, 0);
    // SAFETY: the instance is live, `kind` is valid for writes.
    let error = unsafe { (api.instance_kind)(instance, &raw mut kind) };
    check(api, error)?;
    // SAFETY: the instance is live, `device` is valid for writes.
    let error = unsafe { (api.instance_device)(instance, &raw mut device) };
    check(api, error)?;
    Ok(Instance {
        // SAFETY: Triton has returned the string without an error (invariant 2).
        model: unsafe { owned(name) },
        version,
        loaded_model: model.addr(),
        // SAFETY: as above.
        name: unsafe { owned(instance_name) },
        gpu: u32::try_from(device)
            .ok()
            .filter(|_| kind == INSTANCE_ON_GPU),
    })
}

/// Returns the state that `initialize_instance` has stored with the instance.
///
/// # Safety
///
/// `instance` must be live.
unsafe fn state<E>(
    api: &Api,
    instance: *mut RawInstance,
) -> Result<*mut LoadedInstance<E>, Failure> {
    let mut state = ptr::null_mut();
    // SAFETY: the instance is live, `state` is valid for writes.
    let error = unsafe { (api.instance_state)(instance, &raw mut state) };
    check(api, error)?;
    Ok(state.cast())
}

/// Copies a string of Triton.
///
/// # Safety
///
/// `text` must end with a zero byte.
unsafe fn owned(text: *const c_char) -> String {
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
