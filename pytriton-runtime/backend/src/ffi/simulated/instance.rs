use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ffi::batch::Batch;
use crate::ffi::executor::Executor;
use crate::ffi::loaded_instance::LoadedInstance;
use crate::ffi::raw::{RawError, RawInstance, RawRequest};
use crate::instance::Instance;

use super::SimulatedRequest;
use super::api::api;
use super::request::Outcome;

/// An instance that Triton has initialized.
pub(crate) struct Simulated<E: Executor> {
    loaded: Option<LoadedInstance<E>>,
    instance: Arc<SimulatedInstance>,
    /// The requests of [`infer`](Self::infer), which may be used until the executor is gone.
    requests: Mutex<Vec<Arc<SimulatedRequest>>>,
}

/// Triton's side of an instance, and the number of requests reported to it.
#[derive(Debug, Default)]
pub(crate) struct SimulatedInstance {
    finalized: AtomicBool,
    pub(crate) reported: AtomicUsize,
}

/// Permits one test at a time to have instances: some tests query all instances.
pub(crate) fn exclusive() -> MutexGuard<'static, ()> {
    static EXCLUSIVE: Mutex<()> = Mutex::new(());
    EXCLUSIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<E: Executor> Simulated<E> {
    /// Initializes an instance.
    pub(crate) fn new(executor: E, instance: &Instance) -> Self {
        Self {
            loaded: Some(LoadedInstance::of(executor, instance)),
            instance: Arc::default(),
            requests: Mutex::default(),
        }
    }

    /// Executes a batch. Returns when Triton may give the instance another one.
    pub(crate) fn execute(&self, requests: &[&Arc<SimulatedRequest>]) {
        let raw: Vec<_> = requests
            .iter()
            .map(|request| Arc::as_ptr(request).cast_mut().cast::<RawRequest>())
            .collect();
        let loaded = self.loaded.as_ref().unwrap();
        let instance = Arc::as_ptr(&self.instance).cast_mut().cast();
        // SAFETY: instance and requests outlive the test.
        let batch = unsafe { Batch::new(api(), (instance, loaded.enter()), &raw) };
        loaded.execute(batch);
    }

    /// Executes a batch of one request, and returns its response if it has one by then.
    pub(crate) fn infer(&self, sequence: u64, flags: &str, value: f32) -> Option<Outcome> {
        let request = SimulatedRequest::new(sequence, flags, value);
        self.execute(&[&request]);
        let outcome = request.outcome();
        self.requests.lock().unwrap().push(request);
        outcome
    }

    /// Returns the readiness that Triton would receive.
    pub(crate) fn is_ready(&self) -> bool {
        self.loaded
            .as_ref()
            .is_some_and(LoadedInstance::model_is_ready)
    }

    /// Finalizes the instance, and returns Triton's side of it.
    pub(crate) fn finalize(mut self) -> Arc<SimulatedInstance> {
        drop(self.loaded.take());
        self.instance.finalized.store(true, Ordering::Release);
        Arc::clone(&self.instance)
    }
}

pub(super) unsafe extern "C" fn report_statistics(
    instance: *mut RawInstance,
    _: *mut RawRequest,
    _: bool,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
) -> *mut RawError {
    live(instance).reported.fetch_add(1, Ordering::Relaxed);
    ptr::null_mut()
}

pub(super) unsafe extern "C" fn report_batch_statistics(
    instance: *mut RawInstance,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
) -> *mut RawError {
    live(instance);
    ptr::null_mut()
}

/// Returns an instance, and fails the test if it is finalized.
fn live<'i>(instance: *mut RawInstance) -> &'i SimulatedInstance {
    // SAFETY: the test owns it, and it outlives the batch.
    let instance = unsafe { &*instance.cast::<SimulatedInstance>() };
    assert!(
        !instance.finalized.load(Ordering::Acquire),
        "a finalized instance is used"
    );
    instance
}
