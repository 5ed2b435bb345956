use super::api::Api;
use super::error::check;
use super::pending::Pending;
use super::raw::{RELEASE_ALL, RESPONSE_FINAL, RawInstance, RawRequest};
use super::request::Request;
use super::response::Response;
use super::statistics::Statistics;
use super::stream::Stream;
use super::unfinished_batches::BatchGuard;
use crate::failure::{Code, Failure};
use crate::protocol::Parameter;

/// The requests of an execution, which belong to the backend until they are completed.
///
/// Each request has one response; in a [decoupled](Self::decouple) batch any number of responses
/// and an end. Each request is completed exactly once: if the batch is dropped, the requests
/// without a result fail.
#[derive(Debug)]
pub struct Batch {
    api: &'static Api,
    entries: Vec<Pending>,
    /// The number of requests that are not sent yet.
    left: usize,
    statistics: Statistics,
    /// Prevents the instance from being finalized before all requests are sent.
    guard: Option<BatchGuard>,
}

// SAFETY: any thread may use instances and requests (invariant 5), and only one thread uses a batch
// at a time.
unsafe impl Send for Batch {}

impl Batch {
    /// Creates a batch from the requests of an execution.
    ///
    /// # Safety
    ///
    /// - `instance` must be live until `guard` is dropped.
    /// - Each request must be live and owned by the backend.
    pub(super) unsafe fn new(
        api: &'static Api,
        (instance, guard): (*mut RawInstance, BatchGuard),
        requests: &[*mut RawRequest],
    ) -> Self {
        Self {
            api,
            statistics: Statistics::begin(api, instance),
            entries: requests.iter().copied().map(Pending::new).collect(),
            left: requests.len(),
            guard: Some(guard),
        }
    }

    /// Permits any number of responses to each request that is not completed.
    pub fn decouple(&mut self) {
        self.statistics.end_with_last();
        for index in 0..self.entries.len() {
            let Some(request) = self.request(index) else {
                continue;
            };
            match Stream::new(self.api, self.statistics.instance(), request) {
                Ok(stream) => self.entries[index].set_stream(stream),
                Err(failure) => self.fail(index, failure),
            }
        }
    }

    /// Returns the number of requests.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no requests.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns a request that is not completed yet.
    pub fn request(&self, index: usize) -> Option<Request<'_>> {
        let entry = self.entries.get(index)?;
        let open = entry.is_open();
        open.then(|| Request::new(self.api, entry.request()))
    }

    /// Returns the requests that are not completed yet, with their positions.
    pub fn requests(&self) -> impl Iterator<Item = (usize, Request<'_>)> {
        let all = 0..self.entries.len();
        all.filter_map(|index| Some((index, self.request(index)?)))
    }

    /// Returns whether all requests are completed.
    pub fn is_complete(&self) -> bool {
        self.left == 0
    }

    /// Records the time of the call and the number of rows.
    pub fn gathered(&mut self, gathered: u64, rows: u64) {
        self.statistics.gathered(gathered, rows);
    }

    /// Records the time of the call if it is later than the gathering.
    pub fn called(&mut self, begun: u64) {
        self.statistics.called(begun);
    }

    /// Records when the function returned. Must be called before the first response is sent.
    pub fn computed(&mut self, computed: u64) {
        self.statistics.computed(computed);
    }

    /// Begins a response to a request.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn begin(&mut self, index: usize) -> Result<(), Failure> {
        let request = self.request(index).ok_or_else(already_complete)?.raw();
        let entry = &mut self.entries[index];
        let response = match entry.stream() {
            Some(stream) => stream.response(),
            None => Response::new(self.api, Request::new(self.api, request)),
        };
        entry.begin(response?);
        Ok(())
    }

    /// Adds a parameter to the current response.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn parameter(
        &mut self,
        index: usize,
        name: &str,
        value: Parameter<'_>,
    ) -> Result<(), Failure> {
        self.begun(index)?.parameter(name, value)
    }

    /// Adds an output to the current response.
    ///
    /// # Errors
    ///
    /// Returns Triton's error.
    pub fn output(
        &mut self,
        index: usize,
        (name, datatype): (&std::ffi::CStr, i32),
        dims: &[i64],
        data: &[u8],
    ) -> Result<(), Failure> {
        self.begun(index)?.output((name, datatype), dims, data)
    }

    /// Sends the current response, or a failure in its place. More responses may follow.
    pub fn send_response(&mut self, index: usize, failure: Option<&Failure>) {
        let begun = self.statistics.called_at();
        let entry = self.entries.get_mut(index);
        if let Some((response, stream)) = entry.and_then(Pending::take_response) {
            stream.send_response(response, failure, begun);
        }
    }

    /// Counts a response that was sent through the side channel. More responses may follow.
    pub fn count(&mut self, index: usize) {
        let begun = self.statistics.called_at();
        if let Some(stream) = self.entries.get_mut(index).and_then(Pending::stream) {
            stream.count(begun);
        }
    }

    /// Completes the current response as the last one. In a decoupled batch, it ends the responses
    /// of the request.
    pub fn finish(&mut self, index: usize) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.finish();
        }
    }

    /// Records that a request has failed, unless it was completed.
    pub fn fail(&mut self, index: usize, failure: Failure) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.fail(failure);
        }
    }

    /// Records that all requests that are not completed have failed.
    pub fn fail_all(&mut self, failure: &Failure) {
        for index in 0..self.entries.len() {
            self.fail(index, failure.clone());
        }
    }

    /// Sends the results that are complete, and releases their requests to Triton.
    ///
    /// They are counted before they are sent, so that a client that receives a response finds it in
    /// the statistics.
    pub fn send(&mut self) {
        let done = self.entries.iter().filter(|entry| entry.is_done());
        let mut done = done
            .map(|entry| (entry.request(), entry.succeeded()))
            .peekable();
        if done.peek().is_none() {
            return;
        }
        self.statistics.report(done, self.left);
        for index in 0..self.entries.len() {
            self.send_result(index);
        }
    }

    /// Sends the result of a request.
    fn send_result(&mut self, index: usize) {
        let entry = &mut self.entries[index];
        let Some(result) = entry.take() else {
            return;
        };
        self.left -= 1;
        let request = Request::new(self.api, entry.request());
        let (response, failure) = match result {
            Ok(response) => (response, None),
            Err(failure) => (None, Some(failure)),
        };
        if let Some(stream) = entry.stream() {
            stream.end(failure.as_ref(), self.statistics.called_at());
        } else {
            let response = response.map_or_else(|| Response::failed(self.api, request), Ok);
            // If a response cannot be created or sent, nothing is waiting for it.
            let _ = response.and_then(|response| response.send(failure.as_ref(), RESPONSE_FINAL));
        }
        self.entries[index].end_stream();
        self.release(request);
        if self.is_complete() {
            // From here on the instance is not used.
            self.guard = None;
        }
    }

    /// Completes a request that only fills a row, without content and without an entry in the
    /// statistics.
    pub fn complete_padding(&mut self, index: usize) {
        // The response is not received by anyone.
        let _ = self.begin(index);
        self.finish(index);
        self.send_result(index);
    }

    /// Completes requests that their clients have cancelled. They are not in the statistics.
    pub fn drop_cancelled(&mut self) {
        for index in 0..self.entries.len() {
            let cancelled = self
                .request(index)
                .is_some_and(|request| request.cancelled());
            if cancelled {
                self.fail(
                    index,
                    Failure::new(Code::Cancelled, "the request was cancelled"),
                );
                self.send_result(index);
            }
        }
    }

    fn begun(&mut self, index: usize) -> Result<&mut Response, Failure> {
        let entry = self.entries.get_mut(index);
        entry.and_then(Pending::begun).ok_or_else(already_complete)
    }

    fn release(&self, request: Request<'_>) {
        // SAFETY: the request is live and owned by the backend, which does not use it after this.
        let error = unsafe { (self.api.request_release)(request.raw(), RELEASE_ALL) };
        // A request that Triton does not take back is lost either way.
        let _ = check(self.api, error);
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if !self.is_complete() {
            self.fail_all(&Failure::internal("the model has not responded"));
            self.send();
        }
    }
}

fn already_complete() -> Failure {
    Failure::internal("a response to a request that is already complete")
}
