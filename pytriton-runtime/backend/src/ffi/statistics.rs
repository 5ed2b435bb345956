use std::mem;

use super::api::Api;
use super::clock::now;
use super::error::check;
use super::raw::{RawInstance, RawRequest};

/// The times of the phases of an execution, on the clock of [`now`], and its size.
#[derive(Debug)]
pub(super) struct Statistics {
    api: &'static Api,
    instance: *mut RawInstance,
    /// When Triton gave the batch to the backend.
    begun: u64,
    /// When the function was called.
    gathered: u64,
    /// When the function returned.
    computed: u64,
    /// The number of rows of the requests.
    rows: u64,
    reported: bool,
    /// Whether requests end one by one, and the execution with the last.
    ends_with_last: bool,
}

impl Statistics {
    /// Starts the statistics of an execution. The instance must be live until the last report.
    pub(super) fn begin(api: &'static Api, instance: *mut RawInstance) -> Self {
        let begun = now();
        Self {
            api,
            instance,
            begun,
            gathered: begun,
            computed: begun,
            rows: 0,
            reported: false,
            ends_with_last: false,
        }
    }

    /// Records that the requests end one by one, and the execution with the last.
    pub(super) fn end_with_last(&mut self) {
        self.ends_with_last = true;
    }

    /// Returns the instance.
    pub(super) fn instance(&self) -> *mut RawInstance {
        self.instance
    }

    /// Returns when the function was called.
    pub(super) fn called_at(&self) -> u64 {
        self.gathered
    }

    /// Records when the requests were gathered, and their number of rows.
    pub(super) fn gathered(&mut self, gathered: u64, rows: u64) {
        self.gathered = gathered;
        self.rows = rows;
    }

    /// Records when the function was called, if that was after the gathering.
    pub(super) fn called(&mut self, begun: u64) {
        self.gathered = self.gathered.max(begun);
    }

    /// Records when the function returned. Must be called before the first request is reported.
    pub(super) fn computed(&mut self, computed: u64) {
        if !self.reported {
            self.computed = computed;
        }
    }

    /// Reports live requests and whether they succeeded. The execution is reported with the first
    /// of them, or with the last one if requests end one by one; `left` is the number of remaining
    /// requests.
    pub(super) fn report(
        &mut self,
        requests: impl Iterator<Item = (*mut RawRequest, bool)>,
        left: usize,
    ) {
        let ended = now();
        if self.computed < self.gathered {
            self.computed = ended;
        }
        let mut count = 0;
        for (request, succeeded) in requests {
            self.report_request(request, succeeded, ended);
            count += 1;
        }
        let is_over = !self.ends_with_last || count == left;
        if is_over && !mem::replace(&mut self.reported, true) {
            self.report_batch(left, ended);
        }
    }

    fn report_request(&self, request: *mut RawRequest, succeeded: bool, ended: u64) {
        let report = self.api.report_statistics;
        let (instance, begun) = (self.instance, self.begun);
        let (gathered, computed) = (self.gathered, self.computed);
        // SAFETY: instance and request are live until the request is released (invariant 5).
        let error = unsafe {
            report(
                instance, request, succeeded, begun, gathered, computed, ended,
            )
        };
        // A failure of the statistics must not fail the request.
        let _ = check(self.api, error);
    }

    fn report_batch(&self, left: usize, ended: u64) {
        let rows = if self.rows == 0 {
            left as u64
        } else {
            self.rows
        };
        let report = self.api.report_batch_statistics;
        let (instance, begun) = (self.instance, self.begun);
        let (gathered, computed) = (self.gathered, self.computed);
        // SAFETY: the instance is live (invariant 5).
        let error = unsafe { report(instance, rows.max(1), begun, gathered, computed, ended) };
        // Same as above.
        let _ = check(self.api, error);
    }
}
