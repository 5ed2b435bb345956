use std::sync::Arc;
use std::time::Duration;

use crate::call::{self, Cancellation};
use crate::model::CallMode;
use crate::request::{Identity, Request};

use super::cancellation_wakers::CancellationWakers;
use super::result_memory::ResultMemory;

/// The properties that a call inherits from the requests of the function that makes it.
#[derive(Debug, Clone, Default)]
pub(super) struct Inherited {
    /// The calling model; empty outside of a model.
    pub(super) caller: Arc<str>,
    /// The highest priority of the requests; 0 if one has none and there is no default.
    pub(super) priority: u64,
    /// The longest queue timeout of the requests; `None` if one has the default.
    pub(super) timeout: Option<Duration>,
    /// The client of all requests; anonymous if a call may have requests of several clients.
    pub(super) identity: Identity,
    /// Cancelled when all requests are.
    pub(super) cancellation: Cancellation,
    pub(super) wakers: Arc<CancellationWakers>,
    /// The memory of the results, until the function returns. `None` outside of a function's call.
    pub(super) results: Option<Arc<ResultMemory>>,
}

impl Inherited {
    /// Returns whether the call is made by a model, and not by the program that serves it.
    pub(super) fn is_of_model(&self) -> bool {
        !self.caller.is_empty()
    }

    /// Returns the values for a function without requests, such as `#[load]`.
    pub(super) fn idle(model: &Arc<str>) -> Self {
        Self {
            caller: Arc::clone(model),
            ..Self::default()
        }
    }

    pub(super) fn of(call: &call::Call<'_>) -> Self {
        let (model, requests) = (call.context().model(), call.requests().iter());
        let batcher = model.batcher.as_ref();
        let default = batcher.map_or(0, |batcher| batcher.options.default_priority_level);
        let priorities = requests.clone().map(|request| match request.priority() {
            0 => default,
            priority => priority,
        });
        let timeouts = || requests.clone().map(Request::timeout);
        let has_default = timeouts().any(|timeout| timeout.is_none());
        Self {
            caller: Arc::clone(&model.name),
            // 1 is the highest, and 0 none.
            priority: priorities.min().unwrap_or(0),
            timeout: match has_default {
                true => None,
                false => timeouts().max().flatten(),
            },
            identity: match model.call {
                CallMode::Request => call.identity().clone(),
                CallMode::Batch if model.by_identity() => call.identity().clone(),
                CallMode::Batch | CallMode::Raw => Identity::ANONYMOUS,
            },
            cancellation: call.cancellation(),
            wakers: Arc::default(),
            results: Some(Arc::default()),
        }
    }
}
