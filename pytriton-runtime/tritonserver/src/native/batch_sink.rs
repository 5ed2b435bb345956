use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use pytriton_backend::Failure;
use pytriton_backend::ffi::{Batch, now};
use pytriton_backend::session::TensorNames;
use pytriton_core::call::Cancelled;
use pytriton_core::request::Response;
use pytriton_core::response_channel::SchedulerError;

use crate::backend_batch::BatchSink;

use super::respond::{failure, pass_on};

/// A batch shared by its instance and the observers of its requests; `None` once it is answered.
pub(super) type Shared = Arc<Mutex<Option<Batch>>>;

/// Sends responses directly to tritonserver while their batch runs.
#[derive(Debug)]
pub(super) struct TritonBatchSink {
    batch: Shared,
    /// The position of each request in the batch.
    positions: Vec<usize>,
    names: Arc<TensorNames>,
}

impl TritonBatchSink {
    /// Creates the sink for the responses of a decoupled batch.
    pub(super) fn new(batch: &Shared, positions: &[usize], names: &Arc<TensorNames>) -> Self {
        Self {
            batch: Arc::clone(batch),
            positions: positions.to_vec(),
            names: Arc::clone(names),
        }
    }

    fn with<T>(&self, request: usize, act: impl FnOnce(&mut Batch, usize) -> T) -> Option<T> {
        let &index = self.positions.get(request)?;
        Some(act(lock(&self.batch).as_mut()?, index))
    }
}

impl BatchSink for TritonBatchSink {
    fn called(&self, begun: u64) {
        if let Some(batch) = lock(&self.batch).as_mut() {
            batch.called(begun);
        }
    }

    fn send(
        &self,
        (request, _): (usize, u32),
        answer: Result<Response, SchedulerError>,
    ) -> Result<(), Cancelled> {
        let sent_to_client = self.with(request, |batch, index| {
            batch.computed(now());
            let sent = match answer {
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

    fn end(&self, (request, _): (usize, u32), result: Result<(), SchedulerError>) {
        self.with(request, |batch, index| {
            batch.computed(now());
            end(batch, index, result.map_err(|error| failure(&error)));
        });
        // No part of the batch may outlive its instance, which waits for the last response.
        drop(lock(&self.batch).take_if(|batch| batch.is_answered()));
    }

    fn is_cancelled(&self, request: usize) -> bool {
        let cancelled = self.with(request, |batch, index| {
            let request = batch.request(index);
            request.is_none_or(|request| request.cancelled())
        });
        cancelled.unwrap_or(true)
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
