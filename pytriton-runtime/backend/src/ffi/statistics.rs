use std::mem;

use super::api::Api;
use super::clock::now;
use super::error::check;
use super::raw::{RawInstance, RawRequest};

/// When the parts of an execution were over, by the clock of [`now`], and how much it was.
#[derive(Debug)]
pub(super) struct Statistics {
    api: &'static Api,
    instance: *mut RawInstance,
    /// When Triton gave the batch to the backend.
    begun: u64,
    /// When the function was called.
    gathered: u64,
    /// When the function was done.
    computed: u64,
    /// The rows of the requests.
    rows: u64,
    reported: bool,
    /// Whether the execution ends with its last request, and each by itself.
    ends_with_last: bool,
}

impl Statistics {
    /// Those of an execution that begins now on an instance, which must be live until all is reported.
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

    /// Says that the requests end one by one, and the execution with the last.
    pub(super) fn end_with_last(&mut self) {
        self.ends_with_last = true;
    }

    /// The instance.
    pub(super) fn instance(&self) -> *mut RawInstance {
        self.instance
    }

    /// When the function was called.
    pub(super) fn called_at(&self) -> u64 {
        self.gathered
    }

    /// Says when the requests were gathered and how much they are.
    pub(super) fn gathered(&mut self, gathered: u64, rows: u64) {
        self.gathered = gathered;
        self.rows = rows;
    }

    /// Says when the function was called, where that was later than the requests were gathered.
    pub(super) fn called(&mut self, begun: u64) {
        self.gathered = self.gathered.max(begun);
    }

    /// Says when the function was done, before the first request is reported.
    pub(super) fn computed(&mut self, computed: u64) {
        if !self.reported {
            self.computed = computed;
        }
    }

    /// Reports requests, which must be live, with whether they succeeded; with the first of them, or with the last where
    /// that ends it, the execution, of which so many requests are left.
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
        // Statistics that cannot be kept are no reason to fail.
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
        // As above.
        let _ = check(self.api, error);
    }
}
