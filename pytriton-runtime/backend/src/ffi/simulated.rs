//! Triton in a test: the functions that a backend calls, on requests and instances that the test
//! makes.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::api::{Api, Basics, Release};
use super::batch::Batch;
use super::executor::{Executor, Instance};
use super::loaded_instance::LoadedInstance;
use super::raw::{
    MEMORY_CPU, RESPONSE_FINAL, RawError, RawFactory, RawInput, RawInstance, RawOutput, RawRequest,
    RawResponse, SEQUENCE_END, SEQUENCE_START,
};
use crate::failure::Failure;

/// A request with one value of its only input, `x`, for the output `y`.
#[derive(Debug)]
pub(crate) struct SimulatedRequest {
    sequence: u64,
    flags: u32,
    value: f32,
    pub(crate) cancelled: AtomicBool,
    outcome: Mutex<Option<Outcome>>,
    released: AtomicBool,
}

/// The value of a response, or the code and the text of its error.
pub(crate) type Outcome = Result<f32, (i32, String)>;

/// An instance that Triton has initialized.
pub(crate) struct Simulated<E: Executor> {
    loaded: Option<LoadedInstance<E>>,
    instance: Arc<SimulatedInstance>,
    /// Those of [`ask`](Self::ask), which may be used until the executor is gone.
    requests: Mutex<Vec<Arc<SimulatedRequest>>>,
}

/// What Triton has of an instance, and how many requests were reported to it.
#[derive(Debug, Default)]
pub(crate) struct SimulatedInstance {
    finalized: AtomicBool,
    pub(crate) reported: AtomicUsize,
}

#[derive(Debug)]
struct SimulatedError {
    code: i32,
    message: CString,
}

#[derive(Debug)]
struct SimulatedResponse {
    request: *const SimulatedRequest,
    bytes: [u8; 4],
}

/// Lets one test at a time have instances, of which some is asked for all.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SimulatedRequest {
    /// A request of a sequence, or of none for 0; `flags` are some of `start` and `end`.
    pub(crate) fn new(sequence: u64, flags: &str, value: f32) -> Arc<Self> {
        let flag = |name: &str, flag| if flags.contains(name) { flag } else { 0 };
        Arc::new(Self {
            sequence,
            flags: flag("start", SEQUENCE_START) | flag("end", SEQUENCE_END),
            value,
            cancelled: AtomicBool::new(false),
            outcome: Mutex::default(),
            released: AtomicBool::new(false),
        })
    }

    /// Its response, once it is released.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let released = self.released.load(Ordering::Acquire);
        let outcome = self.outcome.lock().unwrap().clone();
        outcome.filter(|_| released)
    }
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

    /// Executes a batch; returns when Triton may give the instance another one.
    pub(crate) fn execute(&self, requests: &[&Arc<SimulatedRequest>]) {
        let raw: Vec<_> = requests
            .iter()
            .map(|request| Arc::as_ptr(request).cast_mut().cast::<RawRequest>())
            .collect();
        let loaded = self.loaded.as_ref().unwrap();
        let instance = Arc::as_ptr(&self.instance).cast_mut().cast();
        // SAFETY: what the pointers stand for outlives the test.
        let batch = unsafe { Batch::new(api(), (instance, loaded.enter()), &raw) };
        loaded.execute(batch);
    }

    /// Executes a batch of one request, and returns its response, if there is one by then.
    pub(crate) fn ask(&self, sequence: u64, flags: &str, value: f32) -> Option<Outcome> {
        let request = SimulatedRequest::new(sequence, flags, value);
        self.execute(&[&request]);
        let outcome = request.outcome();
        self.requests.lock().unwrap().push(request);
        outcome
    }

    /// What Triton is told when it asks whether the instance is ready.
    pub(crate) fn is_ready(&self) -> bool {
        self.loaded
            .as_ref()
            .is_some_and(LoadedInstance::model_is_ready)
    }

    /// Finalizes the instance; returns what Triton had of it.
    pub(crate) fn finalize(mut self) -> Arc<SimulatedInstance> {
        drop(self.loaded.take());
        self.instance.finalized.store(true, Ordering::Release);
        Arc::clone(&self.instance)
    }
}

/// An executor that gives its batches to the test.
pub(crate) struct Keeps {
    batches: Mutex<Sender<Batch>>,
    ready: Arc<AtomicBool>,
}

impl Executor for Keeps {
    fn start(_: &Instance) -> Result<Self, Failure> {
        Err(Failure::internal("the test starts it"))
    }

    fn execute(&self, batch: Batch) {
        self.batches.lock().unwrap().send(batch).unwrap();
    }

    fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }
}

/// An instance whose batches the test gets, and whether it is ready.
pub(crate) fn keeping(loaded_model: usize) -> (Simulated<Keeps>, Receiver<Batch>, Arc<AtomicBool>) {
    let (batches, kept) = channel();
    let ready = Arc::new(AtomicBool::new(true));
    let executor = Keeps {
        batches: Mutex::new(batches),
        ready: Arc::clone(&ready),
    };
    let instance = Instance {
        model: "m".to_owned(),
        version: 1,
        loaded_model,
        name: String::new(),
        gpu: None,
    };
    (Simulated::new(executor, &instance), kept, ready)
}

fn basics() -> &'static Basics {
    static BASICS: OnceLock<Basics> = OnceLock::new();
    BASICS.get_or_init(|| Basics {
        api_version,
        error_new,
        error_message,
        error_delete,
    })
}

fn api() -> &'static Api {
    static API: OnceLock<Api> = OnceLock::new();
    API.get_or_init(|| Api {
        release: Release::new(basics(), 19),
        set_parallel_loading: nothing2,
        model_name: nothing2,
        model_version: nothing2,
        instance_model: nothing2,
        instance_name: nothing2,
        instance_kind: nothing2,
        instance_device: nothing2,
        instance_state: nothing2,
        instance_set_state: nothing2,
        report_statistics,
        report_batch_statistics,
        request_id,
        request_cancelled,
        request_correlation,
        request_correlation_text: nothing2,
        request_flags,
        request_timeout: zero,
        request_parameter_count: zero,
        request_parameter: nothing5,
        request_input_count: one,
        request_input,
        request_output_count: one,
        request_output_name,
        request_release,
        input_properties,
        input_buffer,
        response_new,
        response_delete,
        response_output,
        response_send,
        response_set_string: nothing3,
        response_set_int: nothing3,
        response_set_bool: nothing3,
        response_set_double: nothing3,
        factory_new,
        factory_delete,
        factory_send_flags,
        response_from_factory,
        statistics_new: nothing1,
        statistics_delete: nothing1,
        statistics_set_instance: nothing2,
        statistics_set_factory: nothing2,
        statistics_set_start: nothing2,
        statistics_set_output: nothing2,
        statistics_set_end: nothing2,
        statistics_set_error: nothing2,
        report_response: nothing1,
        output_buffer,
    })
}

fn request<'r>(raw: *const RawRequest) -> &'r SimulatedRequest {
    // SAFETY: the test's own, which outlives the batch.
    unsafe { &*raw.cast() }
}

unsafe extern "C" fn nothing1<A>(_: A) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn nothing2<A, B>(_: A, _: B) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn nothing3<A, B, C>(_: A, _: B, _: C) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn nothing5<A, B, C, D, E>(_: A, _: B, _: C, _: D, _: E) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn zero<N: From<u8>>(_: *mut RawRequest, number: *mut N) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { number.write(0.into()) };
    ptr::null_mut()
}

unsafe extern "C" fn one(_: *mut RawRequest, number: *mut u32) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { number.write(1) };
    ptr::null_mut()
}

unsafe extern "C" fn api_version(major: *mut u32, minor: *mut u32) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { major.write(1) };
    // SAFETY: as above.
    unsafe { minor.write(19) };
    ptr::null_mut()
}

unsafe extern "C" fn error_new(code: i32, message: *const c_char) -> *mut RawError {
    // SAFETY: a text that ends with a zero byte.
    let message = unsafe { CStr::from_ptr(message) }.to_owned();
    Box::into_raw(Box::new(SimulatedError { code, message })).cast()
}

unsafe extern "C" fn error_message(error: *mut RawError) -> *const c_char {
    // SAFETY: made by `error_new`.
    unsafe { &*error.cast::<SimulatedError>() }.message.as_ptr()
}

unsafe extern "C" fn error_delete(error: *mut RawError) {
    // SAFETY: made by `error_new`, and not used any more.
    drop(unsafe { Box::from_raw(error.cast::<SimulatedError>()) });
}

unsafe extern "C" fn report_statistics(
    instance: *mut RawInstance,
    _: *mut RawRequest,
    _: bool,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
) -> *mut RawError {
    // SAFETY: the test's own, which outlives the batch.
    let instance = unsafe { &*instance.cast::<SimulatedInstance>() };
    assert!(
        !instance.finalized.load(Ordering::Acquire),
        "a finalized instance is used"
    );
    instance.reported.fetch_add(1, Ordering::Relaxed);
    ptr::null_mut()
}

unsafe extern "C" fn report_batch_statistics(
    instance: *mut RawInstance,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
) -> *mut RawError {
    // SAFETY: as above.
    let instance = unsafe { &*instance.cast::<SimulatedInstance>() };
    assert!(
        !instance.finalized.load(Ordering::Acquire),
        "a finalized instance is used"
    );
    ptr::null_mut()
}

unsafe extern "C" fn request_id(_: *mut RawRequest, id: *mut *const c_char) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { id.write(c"".as_ptr()) };
    ptr::null_mut()
}

unsafe extern "C" fn request_cancelled(
    raw: *mut RawRequest,
    cancelled: *mut bool,
) -> *mut RawError {
    let is_cancelled = request(raw).cancelled.load(Ordering::Acquire);
    // SAFETY: valid for writes.
    unsafe { cancelled.write(is_cancelled) };
    ptr::null_mut()
}

unsafe extern "C" fn request_correlation(raw: *mut RawRequest, id: *mut u64) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { id.write(request(raw).sequence) };
    ptr::null_mut()
}

unsafe extern "C" fn request_flags(raw: *mut RawRequest, flags: *mut u32) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { flags.write(request(raw).flags) };
    ptr::null_mut()
}

/// An input is its request.
unsafe extern "C" fn request_input(
    raw: *mut RawRequest,
    _: u32,
    input: *mut *mut RawInput,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { input.write(raw.cast()) };
    ptr::null_mut()
}

unsafe extern "C" fn request_output_name(
    _: *mut RawRequest,
    _: u32,
    name: *mut *const c_char,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { name.write(c"y".as_ptr()) };
    ptr::null_mut()
}

unsafe extern "C" fn request_release(raw: *mut RawRequest, _: u32) -> *mut RawError {
    let before = request(raw).released.swap(true, Ordering::AcqRel);
    assert!(!before, "a request is released twice");
    ptr::null_mut()
}

unsafe extern "C" fn input_properties(
    _: *mut RawInput,
    name: *mut *const c_char,
    datatype: *mut i32,
    dims: *mut *const i64,
    rank: *mut u32,
    len: *mut u64,
    buffers: *mut u32,
) -> *mut RawError {
    static DIMS: [i64; 2] = [1, 1];
    // SAFETY: valid for writes.
    unsafe { name.write(c"x".as_ptr()) };
    // SAFETY: as above.
    unsafe { datatype.write(11) };
    // SAFETY: as above.
    unsafe { dims.write(DIMS.as_ptr()) };
    // SAFETY: as above.
    unsafe { rank.write(2) };
    // SAFETY: as above.
    unsafe { len.write(4) };
    // SAFETY: as above.
    unsafe { buffers.write(1) };
    ptr::null_mut()
}

unsafe extern "C" fn input_buffer(
    input: *mut RawInput,
    _: u32,
    base: *mut *const c_void,
    len: *mut u64,
    memory: *mut i32,
    _: *mut i64,
) -> *mut RawError {
    let value = &raw const request(input.cast()).value;
    // SAFETY: valid for writes.
    unsafe { base.write(value.cast()) };
    // SAFETY: as above.
    unsafe { len.write(4) };
    // SAFETY: as above.
    unsafe { memory.write(MEMORY_CPU) };
    ptr::null_mut()
}

unsafe extern "C" fn response_new(
    response: *mut *mut RawResponse,
    raw: *mut RawRequest,
) -> *mut RawError {
    let made = Box::new(SimulatedResponse {
        request: raw.cast(),
        bytes: [0; 4],
    });
    // SAFETY: valid for writes.
    unsafe { response.write(Box::into_raw(made).cast()) };
    ptr::null_mut()
}

unsafe extern "C" fn response_delete(response: *mut RawResponse) -> *mut RawError {
    // SAFETY: made by `response_new`, and not used any more.
    drop(unsafe { Box::from_raw(response.cast::<SimulatedResponse>()) });
    ptr::null_mut()
}

/// An output is its response.
unsafe extern "C" fn response_output(
    response: *mut RawResponse,
    output: *mut *mut RawOutput,
    _: *const c_char,
    _: i32,
    _: *const i64,
    _: u32,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { output.write(response.cast()) };
    ptr::null_mut()
}

unsafe extern "C" fn output_buffer(
    output: *mut RawOutput,
    buffer: *mut *mut c_void,
    len: u64,
    _: *mut i32,
    _: *mut i64,
) -> *mut RawError {
    assert_eq!(len, 4);
    // SAFETY: made by `response_new`.
    let bytes = unsafe { &raw mut (*output.cast::<SimulatedResponse>()).bytes };
    // SAFETY: valid for writes.
    unsafe { buffer.write(bytes.cast()) };
    ptr::null_mut()
}

unsafe extern "C" fn response_send(
    response: *mut RawResponse,
    flags: u32,
    error: *mut RawError,
) -> *mut RawError {
    // SAFETY: made by `response_new`, and Triton's from here on.
    let response = unsafe { Box::from_raw(response.cast::<SimulatedResponse>()) };
    // SAFETY: made by `error_new`, or null.
    let outcome = match unsafe { error.cast::<SimulatedError>().as_ref() } {
        None => Ok(f32::from_le_bytes(response.bytes)),
        Some(error) => Err((error.code, error.message.to_string_lossy().into_owned())),
    };
    let request = request(response.request.cast());
    let before = request.outcome.lock().unwrap().replace(outcome);
    assert!(before.is_none() || flags != RESPONSE_FINAL, "{before:?}");
    ptr::null_mut()
}

/// A factory is its request.
unsafe extern "C" fn factory_new(
    factory: *mut *mut RawFactory,
    raw: *mut RawRequest,
) -> *mut RawError {
    // SAFETY: valid for writes.
    unsafe { factory.write(raw.cast()) };
    ptr::null_mut()
}

unsafe extern "C" fn factory_delete(_: *mut RawFactory) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn factory_send_flags(_: *mut RawFactory, _: u32) -> *mut RawError {
    ptr::null_mut()
}

unsafe extern "C" fn response_from_factory(
    response: *mut *mut RawResponse,
    factory: *mut RawFactory,
) -> *mut RawError {
    // SAFETY: as for a request.
    unsafe { response_new(response, factory.cast()) }
}
