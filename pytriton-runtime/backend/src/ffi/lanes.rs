use std::ptr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::api::Api;
use super::execution::{Execution, Executor};
use super::raw::{RawInstance, RawRequest};
use crate::failure::Failure;
use crate::handoff::Handoff;

/// The lanes of an instance: as many batches can be in flight.
#[derive(Debug)]
pub(super) enum Lanes<E> {
    /// One, on the thread from which Triton calls.
    Here(Execution<E>),
    /// Several, each on a thread of its own.
    There(Threads),
}

/// The threads of several lanes.
#[derive(Debug)]
pub(super) struct Threads {
    batches: Arc<Handoff<Batch>>,
    threads: Vec<JoinHandle<()>>,
}

/// A batch on its way to a lane.
#[derive(Debug)]
struct Batch {
    instance: *mut RawInstance,
    requests: Vec<*mut RawRequest>,
}

// SAFETY: instances and requests may be used by any thread (invariant 5), and each batch is one lane's.
unsafe impl Send for Batch {}

impl Batch {
    fn new() -> Self {
        Self {
            instance: ptr::null_mut(),
            requests: Vec::new(),
        }
    }
}

impl<E: Executor> Lanes<E> {
    pub(super) fn new(api: &'static Api, executors: Vec<E>) -> Result<Self, Failure> {
        let mut lanes = executors
            .into_iter()
            .map(|executor| Execution::new(api, executor));
        if lanes.len() == 1
            && let Some(lane) = lanes.next()
        {
            return Ok(Self::Here(lane));
        }
        Threads::start(lanes).map(Self::There)
    }

    /// Executes requests, or has them executed while Triton goes on; answers each, and gives them back.
    ///
    /// # Safety
    ///
    /// `instance` must be live until it is finalized, and all requests must be live and the backend's.
    pub(super) unsafe fn run(&mut self, instance: *mut RawInstance, requests: &[*mut RawRequest]) {
        match self {
            // SAFETY: by the caller's word.
            Self::Here(lane) => unsafe { lane.run(instance, requests) },
            Self::There(threads) => threads.batches.give(|batch| {
                batch.instance = instance;
                batch.requests.clear();
                batch.requests.extend_from_slice(requests);
            }),
        }
    }

    /// Whether the lanes can execute a batch.
    pub(super) fn ready(&self) -> bool {
        match self {
            Self::Here(lane) => lane.ready(),
            Self::There(_) => true,
        }
    }
}

impl Threads {
    fn start<E: Executor>(lanes: impl Iterator<Item = Execution<E>>) -> Result<Self, Failure> {
        let mut started = Self {
            batches: Arc::new(Handoff::new(Batch::new())),
            threads: Vec::new(),
        };
        for lane in lanes {
            let batches = Arc::clone(&started.batches);
            let thread = thread::Builder::new().name("pytriton_lane".to_owned());
            let spawned = thread.spawn(move || work(lane, &batches));
            let spawned = spawned.map_err(|error| Failure::internal(error.to_string()));
            started.threads.push(spawned?);
        }
        Ok(started)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.batches.close();
        for thread in self.threads.drain(..) {
            // A lane catches the panics of its batches.
            let _ = thread.join();
        }
    }
}

/// Executes batch after batch.
fn work<E: Executor>(mut lane: Execution<E>, batches: &Handoff<Batch>) {
    let mut batch = Batch::new();
    while batches.take(&mut batch) {
        // SAFETY: by the word of whoever called `run`, and as finalizing waits for this thread (invariant 5).
        unsafe { lane.run(batch.instance, &batch.requests) };
    }
}
