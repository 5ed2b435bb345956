use std::ptr;

use super::api::Api;
use super::error::{OwnError, check};
use super::factory::Factory;
use super::raw::{RawInstance, RawResponseStatistics};
use crate::failure::Failure;

/// The statistics of the responses to one request: the duration of each, by its number.
#[derive(Debug)]
pub(super) struct ResponseStatistics {
    api: &'static Api,
    instance: *mut RawInstance,
    /// Null until the first report, and if the server keeps no such statistics.
    raw: *mut RawResponseStatistics,
    reported: u32,
}

/// The result of a response.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'a> {
    /// A response whose outputs were complete at that time.
    Response(u64),
    /// An error.
    Failure(&'a Failure),
}

/// The maximum number of responses per request in the statistics. Triton keeps an entry for each
/// number forever, and returns all of them with each query.
const MAX_REPORTED_RESPONSES: u32 = 1024;

impl ResponseStatistics {
    /// Creates empty statistics. The instance must be live until the last report.
    pub(super) fn new(api: &'static Api, instance: *mut RawInstance) -> Self {
        Self {
            api,
            instance,
            raw: ptr::null_mut(),
            reported: 0,
        }
    }

    /// Reports the next response of a factory's request, with its start and end times.
    pub(super) fn report(&mut self, factory: &Factory, times: (u64, u64), outcome: Outcome<'_>) {
        if self.reported == MAX_REPORTED_RESPONSES {
            return;
        }
        self.reported += 1;
        // A failure of the statistics must not fail the request.
        let _ = self.try_report(factory, times, outcome);
    }

    fn try_report(
        &mut self,
        factory: &Factory,
        (begun, ended): (u64, u64),
        outcome: Outcome<'_>,
    ) -> Result<(), Failure> {
        let api = self.api;
        if self.raw.is_null() {
            // SAFETY: the pointer is valid for writes; a server that keeps none leaves it null.
            check(api, unsafe { (api.statistics_new)(&raw mut self.raw) })?;
            if self.raw.is_null() {
                return Ok(());
            }
        }
        let begun = begun.min(ended);
        let (computed, error) = match outcome {
            Outcome::Response(computed) => (computed.clamp(begun, ended), None),
            Outcome::Failure(failure) => (0, Some(OwnError::new(failure, api))),
        };
        let error = error.as_ref().map_or(ptr::null_mut(), OwnError::raw);
        let (raw, instance) = (self.raw, self.instance);
        // SAFETY: the statistics are live until dropped and used by one thread at a time. Instance,
        // factory and error outlive the report, which reads them.
        check(api, unsafe { (api.statistics_set_instance)(raw, instance) })?;
        // SAFETY: as above.
        check(api, unsafe {
            (api.statistics_set_factory)(raw, factory.raw())
        })?;
        // SAFETY: as above.
        check(api, unsafe { (api.statistics_set_start)(raw, begun) })?;
        // SAFETY: as above.
        check(api, unsafe { (api.statistics_set_output)(raw, computed) })?;
        // SAFETY: as above.
        check(api, unsafe { (api.statistics_set_end)(raw, ended) })?;
        // SAFETY: as above.
        check(api, unsafe { (api.statistics_set_error)(raw, error) })?;
        // SAFETY: as above.
        check(api, unsafe { (api.report_response)(raw) })
    }
}

impl Drop for ResponseStatistics {
    fn drop(&mut self) {
        if self.raw.is_null() {
            return;
        }
        // SAFETY: the statistics were created for this value, which is not used any more.
        let error = unsafe { (self.api.statistics_delete)(self.raw) };
        // The error cannot be reported.
        let _ = check(self.api, error);
    }
}
