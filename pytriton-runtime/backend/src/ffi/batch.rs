use super::api::Api;
use super::error::check;
use super::pending::Pending;
use super::raw::{RELEASE_ALL, RESPONSE_FINAL, RawInstance, RawRequest};
use super::request::Request;
use super::response::Response;
use super::statistics::Statistics;
use super::stream::Stream;
use super::unanswered::Unanswered;
use crate::failure::{Code, Failure};
use crate::wire::Parameter;

/// The requests of an execution, which belong to the backend until they are answered.
///
/// Each has one answer; where the batch is [decoupled](Self::decouple) any number of them, and an end.
///
/// Whatever becomes of it, each request is answered once: those of which nothing is known when it is dropped have failed.
#[derive(Debug)]
pub struct Batch {
    api: &'static Api,
    entries: Vec<Pending>,
    /// How many requests are not sent.
    left: usize,
    statistics: Statistics,
    /// Keeps the instance from being finalized, until all requests are sent.
    unanswered: Option<Unanswered>,
}

// SAFETY: instances and requests may be used by any thread (invariant 5), and a batch is used by one at a time.
unsafe impl Send for Batch {}

impl Batch {
    /// Takes the requests of an execution.
    ///
    /// # Safety
    ///
    /// - `instance` must be live until `unanswered` is dropped.
    /// - Each request must be live and the backend's.
    pub(super) unsafe fn new(
        api: &'static Api,
        (instance, unanswered): (*mut RawInstance, Unanswered),
        requests: &[*mut RawRequest],
    ) -> Self {
        Self {
            api,
            statistics: Statistics::begin(api, instance),
            entries: requests.iter().copied().map(Pending::new).collect(),
            left: requests.len(),
            unanswered: Some(unanswered),
        }
    }

    /// Lets each request that is not answered have any number of answers.
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

    /// How many requests there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A request that is not yet answered.
    pub fn request(&self, index: usize) -> Option<Request<'_>> {
        let entry = self.entries.get(index)?;
        let open = entry.is_open();
        open.then(|| Request::new(self.api, entry.request()))
    }

    /// The requests that are not yet answered, with their positions.
    pub fn requests(&self) -> impl Iterator<Item = (usize, Request<'_>)> {
        let all = 0..self.entries.len();
        all.filter_map(|index| Some((index, self.request(index)?)))
    }

    /// Whether all requests are answered.
    pub fn is_answered(&self) -> bool {
        self.left == 0
    }

    /// Says when it was called and how much it is.
    pub fn gathered(&mut self, gathered: u64, rows: u64) {
        self.statistics.gathered(gathered, rows);
    }

    /// Says when the function was called, where that was later than the requests were gathered.
    pub fn called(&mut self, begun: u64) {
        self.statistics.called(begun);
    }

    /// Says when the function was done, before the first answer is sent.
    pub fn computed(&mut self, computed: u64) {
        self.statistics.computed(computed);
    }

    /// Begins an answer to a request.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn begin(&mut self, index: usize) -> Result<(), Failure> {
        let request = self.request(index).ok_or_else(answered)?.raw();
        let entry = &mut self.entries[index];
        let response = match entry.stream() {
            Some(stream) => stream.response(),
            None => Response::new(self.api, Request::new(self.api, request)),
        };
        entry.begin(response?);
        Ok(())
    }

    /// Adds a parameter to the answer that was begun.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn parameter(
        &mut self,
        index: usize,
        name: &str,
        value: Parameter<'_>,
    ) -> Result<(), Failure> {
        self.begun(index)?.parameter(name, value)
    }

    /// Adds an output to the answer that was begun.
    ///
    /// # Errors
    ///
    /// Triton's words.
    pub fn output(
        &mut self,
        index: usize,
        (name, datatype): (&std::ffi::CStr, i32),
        dims: &[i64],
        data: &[u8],
    ) -> Result<(), Failure> {
        self.begun(index)?.output((name, datatype), dims, data)
    }

    /// Sends the answer that was begun, behind which others may come; or in its place why there is none.
    pub fn part(&mut self, index: usize, failure: Option<&Failure>) {
        let begun = self.statistics.called_at();
        let entry = self.entries.get_mut(index);
        if let Some((response, stream)) = entry.and_then(Pending::part) {
            stream.part(response, failure, begun);
        }
    }

    /// Counts an answer that went another way, behind which others may come.
    pub fn count(&mut self, index: usize) {
        let begun = self.statistics.called_at();
        if let Some(stream) = self.entries.get_mut(index).and_then(Pending::stream) {
            stream.count(begun);
        }
    }

    /// Says that the answer that was begun is whole, and the request's last; where the batch is decoupled, that the request
    /// has no more answers.
    pub fn finish(&mut self, index: usize) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.finish();
        }
    }

    /// Says that a request has failed, unless it was answered.
    pub fn fail(&mut self, index: usize, failure: Failure) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.fail(failure);
        }
    }

    /// Says that all requests have failed that are not answered.
    pub fn fail_all(&mut self, failure: &Failure) {
        for index in 0..self.entries.len() {
            self.fail(index, failure.clone());
        }
    }

    /// Answers the requests of which all is known, and gives them back to Triton.
    ///
    /// They are counted before they are answered, so that whoever has a response finds it in the statistics.
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
            self.answer(index);
        }
    }

    /// Answers a request of which all is known.
    fn answer(&mut self, index: usize) {
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
            // A response that cannot be made or sent has nobody who waits for it.
            let _ = response.and_then(|response| response.send(failure.as_ref(), RESPONSE_FINAL));
        }
        self.entries[index].end_stream();
        self.release(request);
        if self.is_answered() {
            // From here on nothing of the instance is used.
            self.unanswered = None;
        }
    }

    /// Answers a request that is none: with nothing, and in no statistics.
    pub fn dismiss(&mut self, index: usize) {
        // Nobody hears it.
        let _ = self.begin(index);
        self.finish(index);
        self.answer(index);
    }

    /// Answers requests that their clients have taken back; they are in no statistics.
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
                self.answer(index);
            }
        }
    }

    fn begun(&mut self, index: usize) -> Result<&mut Response, Failure> {
        let entry = self.entries.get_mut(index);
        entry.and_then(Pending::begun).ok_or_else(answered)
    }

    fn release(&self, request: Request<'_>) {
        // SAFETY: the request is live and the backend's, which does not use it after this.
        let error = unsafe { (self.api.request_release)(request.raw(), RELEASE_ALL) };
        // A request that Triton does not take back is lost either way.
        let _ = check(self.api, error);
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if !self.is_answered() {
            self.fail_all(&Failure::internal("the model has not answered"));
            self.send();
        }
    }
}

fn answered() -> Failure {
    Failure::internal("an answer to a request that was answered")
}
