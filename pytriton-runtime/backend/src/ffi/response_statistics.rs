use std::ptr;

use super::api::Api;
use super::error::{OwnError, check};
use super::factory::Factory;
use super::raw::{RawInstance, RawResponseStatistics};
use crate::failure::Failure;

/// The statistics of the answers to one request: how long each took, by the answer's number.
#[derive(Debug)]
pub(super) struct ResponseStatistics {
    api: &'static Api,
    instance: *mut RawInstance,
    /// Null until something is reported, and where the server keeps none.
    raw: *mut RawResponseStatistics,
    reported: u32,
}

/// What an answer was.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'a> {
    /// One with outputs, which were there at that time.
    Answer(u64),
    /// An error.
    Failure(&'a Failure),
}

/// So many answers of a request are in the statistics, the first ones. Triton has an entry for each number, never forgets
/// one, and sends them all to whoever asks.
const MOST: u32 = 1024;

impl ResponseStatistics {
    /// None yet; the instance must be live until all is reported.
    pub(super) fn new(api: &'static Api, instance: *mut RawInstance) -> Self {
        Self {
            api,
            instance,
            raw: ptr::null_mut(),
            reported: 0,
        }
    }

    /// Reports the next answer of a factory's request, by when its computation began and when it is sent.
    pub(super) fn report(&mut self, factory: &Factory, times: (u64, u64), outcome: Outcome<'_>) {
        if self.reported == MOST {
            return;
        }
        self.reported += 1;
        // Statistics that cannot be kept are no reason to fail.
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
            Outcome::Answer(computed) => (computed.clamp(begun, ended), None),
            Outcome::Failure(failure) => (0, Some(OwnError::new(failure, api))),
        };
        let error = error.as_ref().map_or(ptr::null_mut(), OwnError::raw);
        let (raw, instance) = (self.raw, self.instance);
        // SAFETY: the statistics are live until they are dropped, and used by one thread at a time; instance, factory and error
        // live longer than the report, which is what reads them.
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
        // SAFETY: the statistics were made for this value, which nobody has any more.
        let error = unsafe { (self.api.statistics_delete)(self.raw) };
        // There is nobody to tell.
        let _ = check(self.api, error);
    }
}
