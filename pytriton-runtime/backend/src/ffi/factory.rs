use std::ptr;

use super::api::Api;
use super::error::check;
use super::raw::{RESPONSE_FINAL, RawFactory};
use super::request::Request;
use crate::failure::Failure;

/// Makes the responses to a request that may have any number of them.
#[derive(Debug)]
pub(super) struct Factory {
    api: &'static Api,
    raw: *mut RawFactory,
}

impl Factory {
    /// The factory of a request.
    pub(super) fn new(api: &'static Api, request: Request<'_>) -> Result<Self, Failure> {
        let mut raw = ptr::null_mut();
        // SAFETY: the request is live (invariant 3), `raw` is valid for writes.
        let error = unsafe { (api.factory_new)(&raw mut raw, request.raw()) };
        check(api, error)?;
        Ok(Self { api, raw })
    }

    /// The factory, which lives as long as this.
    pub(super) fn raw(&self) -> *mut RawFactory {
        self.raw
    }

    /// Says that no response follows.
    pub(super) fn end(&self) -> Result<(), Failure> {
        // SAFETY: the factory is live until it is dropped.
        let error = unsafe { (self.api.factory_send_flags)(self.raw, RESPONSE_FINAL) };
        check(self.api, error)
    }
}

impl Drop for Factory {
    fn drop(&mut self) {
        // SAFETY: the factory was made for this value, which nobody has any more.
        let error = unsafe { (self.api.factory_delete)(self.raw) };
        // There is nobody to tell.
        let _ = check(self.api, error);
    }
}
