use std::ptr;

use super::api::Api;
use super::error::check;
use super::raw::{RESPONSE_FINAL, RawFactory};
use super::request::Request;
use crate::failure::Failure;

/// Creates the responses to a request that can have any number of them.
#[derive(Debug)]
pub(super) struct Factory {
    api: &'static Api,
    raw: *mut RawFactory,
}

impl Factory {
    /// Creates the factory of a request.
    pub(super) fn new(api: &'static Api, request: Request<'_>) -> Result<Self, Failure> {
        let mut raw = ptr::null_mut();
        // SAFETY: the request is live (invariant 3), `raw` is valid for writes.
        let error = unsafe { (api.factory_new)(&raw mut raw, request.raw()) };
        check(api, error)?;
        Ok(Self { api, raw })
    }

    /// Returns the factory, which lives as long as this value.
    pub(super) fn raw(&self) -> *mut RawFactory {
        self.raw
    }

    /// Reports that no more responses follow.
    pub(super) fn end(&self) -> Result<(), Failure> {
        // SAFETY: the factory is live until it is dropped.
        let error = unsafe { (self.api.factory_send_flags)(self.raw, RESPONSE_FINAL) };
        check(self.api, error)
    }
}

impl Drop for Factory {
    fn drop(&mut self) {
        // SAFETY: the factory was created for this value, which is not used any more.
        let error = unsafe { (self.api.factory_delete)(self.raw) };
        // The error cannot be reported.
        let _ = check(self.api, error);
    }
}
