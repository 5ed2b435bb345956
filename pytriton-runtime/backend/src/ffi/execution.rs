use std::panic::{AssertUnwindSafe, catch_unwind};

use super::api::Api;
use super::clock::now;
use super::error::check;
use super::raw::{RELEASE_ALL, RawInstance, RawRequest};
use super::request::{Request, Requests};
use super::response::Responses;
use crate::failure::{Code, Failure};

/// A lane of an instance of a model: it executes one batch at a time.
pub trait Executor: Send + Sized + 'static {
    /// Makes the lanes of an instance, of which there are as many as batches may be in flight.
    ///
    /// # Errors
    ///
    /// A [`Failure`] for Triton's log, for which it does not load the model.
    fn start(instance: &Instance) -> Result<Vec<Self>, Failure>;

    /// Executes a batch.
    ///
    /// # Errors
    ///
    /// A [`Failure`] for all requests.
    fn execute(
        &mut self,
        requests: Requests<'_>,
        responses: &mut Responses,
    ) -> Result<Executed, Failure>;

    /// Whether a batch could be executed now.
    fn ready(&self) -> bool {
        true
    }
}

/// Which instance is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The model's name.
    pub model: String,
    /// The model's version.
    pub version: u64,
    /// Tells models apart that are loaded at the same time.
    pub loaded_model: usize,
    /// The instance's name.
    pub name: String,
}

/// When the parts of an execution were over, and how much it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executed {
    /// When the inputs were gathered.
    pub gathered: u64,
    /// When the function was done.
    pub computed: u64,
    /// The rows of the requests.
    pub rows: u64,
}

/// A lane and what it uses again and again.
#[derive(Debug)]
pub(super) struct Execution<E> {
    api: &'static Api,
    executor: E,
    responses: Responses,
    live: Vec<*mut RawRequest>,
}

// SAFETY: the requests in `live` are those of a batch that is being executed, by one thread (invariant 5).
unsafe impl<E: Send> Send for Execution<E> {}

impl<E: Executor> Execution<E> {
    pub(super) fn new(api: &'static Api, executor: E) -> Self {
        Self {
            api,
            executor,
            responses: Responses::new(api),
            live: Vec::new(),
        }
    }

    /// Whether a batch could be executed now.
    pub(super) fn ready(&self) -> bool {
        self.executor.ready()
    }

    /// Executes requests, answers each, and gives them back.
    ///
    /// # Safety
    ///
    /// `instance` must be live, and so must be all requests, which are the backend's until they are released here.
    pub(super) unsafe fn run(&mut self, instance: *mut RawInstance, requests: &[*mut RawRequest]) {
        let begun = now();
        // SAFETY: the requests are live until the end of this function, by the caller's word.
        let all = unsafe { Requests::new(self.api, requests) };
        self.live.clear();
        for request in all.iter() {
            match request.cancelled() {
                true => self.refuse(request),
                false => self.live.push(request.raw()),
            }
        }
        let live = std::mem::take(&mut self.live);
        if !live.is_empty() {
            // SAFETY: as above; these are some of them, which are released below.
            let live = unsafe { Requests::new(self.api, &live) };
            self.execute(instance, live, begun);
        }
        self.live = live;
    }

    fn execute(&mut self, instance: *mut RawInstance, requests: Requests<'_>, begun: u64) {
        self.responses.expect(requests.len());
        let (executor, responses) = (&mut self.executor, &mut self.responses);
        // What a panic leaves behind is an executor between two batches: it writes all it reads anew for each.
        let executed = catch_unwind(AssertUnwindSafe(|| executor.execute(requests, responses)));
        match &executed {
            Ok(Ok(_)) => {}
            Ok(Err(failure)) => self.responses.fail_all(failure),
            Err(_) => (self.responses).fail_all(&Failure::internal("the backend panicked")),
        }
        let executed = executed.ok().and_then(Result::ok);
        let times = executed.unwrap_or_else(|| {
            let (gathered, computed) = (now(), now());
            Executed {
                gathered,
                computed,
                rows: requests.len() as u64,
            }
        });
        // Counted before they are sent, so that whoever has a response finds it in the statistics.
        self.report(instance, requests, begun, times);
        for (index, request) in requests.iter().enumerate() {
            // A response that cannot be sent has nobody who waits for it.
            let _ = self.responses.send(index, request);
        }
        for request in requests.iter() {
            self.release(request);
        }
    }

    fn report(
        &self,
        instance: *mut RawInstance,
        requests: Requests<'_>,
        begun: u64,
        times: Executed,
    ) {
        let Executed {
            gathered,
            computed,
            rows,
        } = times;
        let ended = now();
        for (index, request) in requests.iter().enumerate() {
            let succeeded = self.responses.succeeded(index);
            let report = self.api.report_statistics;
            // SAFETY: instance and request are live until the request is released.
            let error = unsafe {
                report(
                    instance,
                    request.raw(),
                    succeeded,
                    begun,
                    gathered,
                    computed,
                    ended,
                )
            };
            // Statistics that cannot be kept are no reason to fail.
            let _ = check(self.api, error);
        }
        let report = self.api.report_batch_statistics;
        // SAFETY: the instance is live.
        let error = unsafe { report(instance, rows.max(1), begun, gathered, computed, ended) };
        // As above.
        let _ = check(self.api, error);
    }

    /// Answers a request that its client has taken back.
    fn refuse(&mut self, request: Request<'_>) {
        self.responses.expect(1);
        let failure = Failure::new(Code::Cancelled, "the request was cancelled");
        self.responses.fail(0, failure);
        // Most likely nobody hears it.
        let _ = self.responses.send(0, request);
        self.release(request);
    }

    fn release(&self, request: Request<'_>) {
        // SAFETY: the request is live and the backend's, which does not use it after this.
        let error = unsafe { (self.api.request_release)(request.raw(), RELEASE_ALL) };
        // A request that Triton does not take back is lost either way.
        let _ = check(self.api, error);
    }
}
