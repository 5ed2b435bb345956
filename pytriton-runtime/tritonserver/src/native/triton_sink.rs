use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::{Mutex, MutexGuard};
use pytriton_backend::Failure;
use pytriton_backend::ffi::{Batch, now};
use pytriton_backend::session::TensorNames;
use pytriton_core::call::{Cancelled, ModelError};
use pytriton_core::request::Response;
use pytriton_core::response_channel::{RequestSink, SchedulerError};

use crate::backend_batch::CancellationTimer;

use super::respond::{failure, pass_on};

/// A batch shared by its instance and the observers of its requests; `None` once it is completed.
pub(super) type Shared = Arc<Mutex<Option<Batch>>>;

/// Sends the responses to a request of a decoupled model directly to tritonserver while its batch
/// runs.
#[derive(Debug)]
pub(super) struct TritonSink {
    pub(super) batch: Shared,
    /// The position of the request in the batch.
    pub(super) position: usize,
    pub(super) names: Arc<TensorNames>,
    pub(super) timer: CancellationTimer,
}

impl TritonSink {
    fn with<T>(&self, act: impl FnOnce(&mut Batch, usize) -> T) -> Option<T> {
        Some(act(lock(&self.batch).as_mut()?, self.position))
    }
}

impl RequestSink for TritonSink {
    fn called(&mut self, begun: u64) {
        self.with(|batch, _| batch.called(begun));
    }

    fn send(&mut self, _: u32, response: Result<Response, ModelError>) -> Result<(), Cancelled> {
        let sent_to_client = self.with(|batch, index| {
            batch.computed(now());
            let sent = match response.map_err(SchedulerError::from) {
                Ok(response) => pass_on(batch, index, response, &self.names, &mut Vec::new())
                    .map(|()| batch.send_response(index, None)),
                Err(error) => batch
                    .begin(index)
                    .map(|()| batch.send_response(index, Some(&failure(&error)))),
            };
            sent.map_err(|failure| {
                end(batch, index, Err(failure));
                Cancelled
            })
        });
        sent_to_client.unwrap_or(Err(Cancelled))
    }

    fn end(&mut self, _: u32, result: Result<(), SchedulerError>) {
        self.with(|batch, index| {
            batch.computed(now());
            end(batch, index, result.map_err(|error| failure(&error)));
        });
        // No part of the batch may outlive its instance, which waits for the last response.
        drop(lock(&self.batch).take_if(|batch| batch.is_complete()));
    }

    fn is_cancelled(&self) -> bool {
        let cancelled = self.with(|batch, index| {
            let request = batch.request(index);
            request.is_none_or(|request| request.cancelled())
        });
        cancelled.unwrap_or(true)
    }

    fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.timer.poll(context)
    }
}

/// Ends the responses of a request.
fn end(batch: &mut Batch, index: usize, result: Result<(), Failure>) {
    match result {
        Ok(()) => batch.finish(index),
        Err(failure) => batch.fail(index, failure),
    }
    batch.send();
}

/// Locks the batch.
pub(super) fn lock(batch: &Mutex<Option<Batch>>) -> MutexGuard<'_, Option<Batch>> {
    // No panic can leave this state inconsistent.
    batch.lock()
}
