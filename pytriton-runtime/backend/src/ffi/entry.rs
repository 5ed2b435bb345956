use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;

use super::api::{Api, Basics};
use super::batch::Batch;
use super::error::{check, to_raw};
use super::executor::{Executor, Instance};
use super::loaded_instance::LoadedInstance;
#[cfg(pytriton_library)]
use super::notify::batch_is_over;
use super::raw::{
    API_VERSION, INSTANCE_ON_GPU, RawAttribute, RawBackend, RawError, RawInstance, RawRequest,
};
use crate::failure::{Code, Failure};

/// What is said of an instance with which nothing was left.
const NOT_INITIALIZED: &str = "the instance was not initialized";

/// `TRITONBACKEND_Initialize`.
///
/// # Safety
///
/// To be called by Triton.
pub unsafe fn initialize(_backend: *mut RawBackend) -> *mut RawError {
    answered(|basics| {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are valid for writes.
        let error = unsafe { (basics.api_version)(&raw mut major, &raw mut minor) };
        check(basics, error)?;
        let (wanted_major, wanted_minor) = API_VERSION;
        if major == wanted_major && minor >= wanted_minor {
            // Without it the server still serves, and takes longer to stop.
            #[cfg(pytriton_library)]
            let _ = crate::shm::lend();
            return Api::get().map(drop);
        }
        let message = format!(
            "tritonserver offers version {major}.{minor} of the backend API, {wanted_major}.{wanted_minor} or a later \
             {wanted_major}.x is needed"
        );
        Err(Failure::new(Code::Unsupported, message))
    })
}

/// `TRITONBACKEND_GetBackendAttribute`.
///
/// # Safety
///
/// To be called by Triton.
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
/// To be called by Triton.
pub unsafe fn initialize_instance<E: Executor>(instance: *mut RawInstance) -> *mut RawError {
    guarded(|api| {
        // SAFETY: `instance` is Triton's, live for this call.
        let description = unsafe { describe(api, instance) }?;
        let loaded = Box::into_raw(Box::new(LoadedInstance::<E>::start(&description)?));
        // SAFETY: as above; Triton only keeps the pointer.
        let error = unsafe { (api.instance_set_state)(instance, loaded.cast::<c_void>()) };
        check(api, error).inspect_err(|_| {
            // SAFETY: the pointer came out of a box of this type, and Triton has not kept it.
            drop(unsafe { Box::from_raw(loaded) });
        })
    })
}

/// `TRITONBACKEND_ModelInstanceFinalize`.
///
/// # Safety
///
/// To be called by Triton, for an instance that `initialize_instance::<E>` has initialized.
///
/// When it returns, every batch of the instance is answered.
pub unsafe fn finalize_instance<E: Executor>(instance: *mut RawInstance) -> *mut RawError {
    guarded(|api| {
        // SAFETY: `instance` is Triton's, live for this call.
        let state = unsafe { state::<E>(api, instance) }?;
        // SAFETY: as above.
        let error = unsafe { (api.instance_set_state)(instance, ptr::null_mut()) };
        check(api, error)?;
        if !state.is_null() {
            // SAFETY: the pointer came out of a box of this type, and Triton has just forgotten it.
            drop(unsafe { Box::from_raw(state) });
        }
        Ok(())
    })
}

/// `TRITONBACKEND_ModelInstanceExecute`.
///
/// # Safety
///
/// To be called by Triton, for an instance that `initialize_instance::<E>` has initialized.
pub unsafe fn execute<E: Executor>(
    instance: *mut RawInstance,
    requests: *mut *mut RawRequest,
    count: u32,
) -> *mut RawError {
    guarded(|api| {
        // SAFETY: `instance` is Triton's, live for this call.
        let state = unsafe { state::<E>(api, instance) }?;
        // SAFETY: the pointer, if any, came out of a box of this type, which is shared only.
        let Some(loaded) = (unsafe { state.as_ref() }) else {
            return Err(Failure::internal(NOT_INITIALIZED));
        };
        // SAFETY: Triton gives an array of `count` requests, which is not empty.
        let requests = unsafe { slice::from_raw_parts(requests, count as usize) };
        // From here on the requests are the backend's: an error, or a panic that becomes one, would give them to Triton a
        // second time.
        let _abort = AbortOnUnwind;
        // SAFETY:
        // - The instance is live until it is finalized, which waits until what `enter` returns is
        //   dropped.
        // - The requests are live, and given to the backend.
        let batch = unsafe { Batch::new(api, (instance, loaded.enter()), requests) };
        let _ = catch_unwind(AssertUnwindSafe(|| loaded.execute(batch)));
        #[cfg(pytriton_library)]
        batch_is_over();
        Ok(())
    })
}

/// `TRITONBACKEND_ModelInstanceReady`, which servers from 25.12 on call whenever they are asked for
/// readiness, also while the instance executes a batch. They take a model for ready only if all of
/// its instances say so: each answers for the model.
///
/// # Safety
///
/// To be called by Triton, for an instance that `initialize_instance::<E>` has initialized.
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

/// Ends the process when a panic comes by.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

/// Calls a body with Triton's functions, and turns its failure, or its panic, into an error of Triton's.
fn guarded(body: impl FnOnce(&'static Api) -> Result<(), Failure>) -> *mut RawError {
    answered(|_| Api::get().and_then(body))
}

/// The same with the functions that every release has.
fn answered(body: impl FnOnce(&'static Basics) -> Result<(), Failure>) -> *mut RawError {
    let basics = match Basics::get() {
        Ok(basics) => basics,
        Err(missing) => {
            // No server is without these, and what is not can be told nothing: an error is made by one of them.
            eprintln!("pytriton: {missing}");
            std::process::abort();
        }
    };
    // A panic ends the call it happened in; nothing that is shared between calls is left half-done.
    let done = catch_unwind(AssertUnwindSafe(|| body(basics)));
    match done {
        Ok(Ok(())) => ptr::null_mut(),
        Ok(Err(failure)) => to_raw(&failure, basics),
        Err(_) => to_raw(&Failure::internal("the backend panicked"), basics),
    }
}

/// Which instance it is.
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
        // SAFETY: Triton has set the text without an error (invariant 2).
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

/// What `initialize_instance` has left with the instance.
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

/// A copy of a text of Triton's.
///
/// # Safety
///
/// `text` must end with a zero byte.
unsafe fn owned(text: *const c_char) -> String {
    // SAFETY: by the caller's word.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
