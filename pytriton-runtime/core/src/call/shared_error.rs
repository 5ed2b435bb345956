use std::sync::Arc;

use crate::model::ModelSpec;
use crate::request::{Response, SmallVec};

use super::ModelError;

/// An error that every request of a call receives.
///
/// It is a client error only if the call has a single request. An error caused by one client is
/// never reported to another.
#[derive(Debug)]
pub(super) struct SharedError {
    error: ModelError,
    requests: usize,
}

impl SharedError {
    /// Creates the error of several requests. For more than one, a client error becomes a server
    /// error.
    pub(super) fn new(spec: &ModelSpec, error: ModelError, requests: usize) -> Self {
        if requests <= 1 || !error.is_of_client() {
            return Self { error, requests };
        }
        tracing::warn!(model = &*spec.name, %error, "refused a batch");
        let model = Arc::clone(&spec.name);
        Self {
            error: ModelError::Batch { model },
            requests,
        }
    }

    /// Returns the error.
    pub(super) fn into_inner(self) -> ModelError {
        self.error.status().assert_belongs_to(self.requests);
        self.error
    }

    /// Returns the result of each request.
    pub(super) fn results(self) -> SmallVec<Result<Response, ModelError>> {
        self.error.status().assert_belongs_to(self.requests);
        SmallVec::repeat(Err(self.error), self.requests)
    }
}
