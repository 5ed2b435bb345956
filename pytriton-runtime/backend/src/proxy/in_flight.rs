use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::ffi::Batch;
use crate::protocol::{ProtocolError, ResponseMessage};
use crate::session::Client;

use super::stream_state::StreamState;

/// The batches that were handed over and are not completed.
#[derive(Debug, Default)]
pub(super) struct InFlight(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    completed: Condvar,
}

/// The slot of a batch in flight. It is released when the batch is dropped.
#[derive(Debug)]
pub(super) struct InFlightPermit(Arc<Shared>);

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Includes batches that were taken out to be completed.
    count: usize,
    batches: Vec<BatchInFlight>,
    free_positions: Vec<Vec<usize>>,
    ended: bool,
}

/// A batch that was handed over.
#[derive(Debug)]
pub(super) struct BatchInFlight {
    pub(super) number: u64,
    pub(super) batch: Batch,
    /// The position in the batch of each request that was handed over.
    pub(super) positions: Vec<usize>,
    /// The requests whose cancellation was sent to the worker.
    pub(super) cancelled: Vec<u32>,
    /// The state of each request's responses, for a decoupled model.
    pub(super) streams: Vec<StreamState>,
    permit: InFlightPermit,
}

impl BatchInFlight {
    /// Records one of any number of responses, and returns the position of its request in the
    /// batch.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Number`] if there is no such request, or the response is not the
    /// next one.
    pub(super) fn record(&mut self, response: &ResponseMessage) -> Result<usize, ProtocolError> {
        let request = response.request as usize;
        let stream = self.streams.get_mut(request).ok_or(ProtocolError::Number)?;
        stream.record(response)?;
        self.positions
            .get(request)
            .copied()
            .ok_or(ProtocolError::Number)
    }

    /// Notifies the worker once of the cancellation of a request.
    pub(super) fn stop(&mut self, client: &Client, request: u32) {
        // If the ring is full now, a later call sends it.
        if !self.cancelled.contains(&request) && client.cancel(self.number, request).is_ok() {
            self.cancelled.push(request);
        }
    }

    /// Returns whether all requests are completed and their responses have ended.
    pub(super) fn is_over(&self) -> bool {
        self.batch.is_complete() && self.streams.iter().all(|stream| stream.is_over())
    }
}

impl InFlight {
    /// Registers a batch, and returns its number and whether it is the only one. Returns the batch
    /// if the session has ended.
    pub(super) fn insert(
        &self,
        batch: Batch,
        positions: &[usize],
        decoupled: bool,
    ) -> Result<(u64, bool), Batch> {
        let mut state = self.lock();
        if state.ended {
            return Err(batch);
        }
        let number = state.next;
        state.next += 1;
        state.count += 1;
        let mut free_positions = state.free_positions.pop().unwrap_or_default();
        free_positions.extend_from_slice(positions);
        let streams = match decoupled {
            true => vec![StreamState::default(); positions.len()],
            false => Vec::new(),
        };
        state.batches.push(BatchInFlight {
            number,
            batch,
            positions: free_positions,
            cancelled: Vec::new(),
            streams,
            permit: InFlightPermit(Arc::clone(&self.0)),
        });
        Ok((number, state.count == 1))
    }

    /// Takes a batch out.
    pub(super) fn take(&self, number: u64) -> Option<BatchInFlight> {
        let mut state = self.lock();
        let mut batches = state.batches.iter();
        let index = batches.position(|entry| entry.number == number)?;
        Some(state.batches.swap_remove(index))
    }

    /// Puts back a batch with requests that are not completed.
    pub(super) fn put_back(&self, entry: BatchInFlight) {
        self.lock().batches.push(entry);
    }

    /// Releases a batch that is completed.
    pub(super) fn complete(&self, entry: BatchInFlight) {
        let BatchInFlight {
            batch,
            mut positions,
            permit,
            ..
        } = entry;
        drop(batch);
        positions.clear();
        self.lock().free_positions.push(positions);
        drop(permit);
    }

    /// Takes all batches out, and accepts no more.
    pub(super) fn end(&self) -> Vec<BatchInFlight> {
        let mut state = self.lock();
        state.ended = true;
        std::mem::take(&mut state.batches)
    }

    /// Calls `visit` with each batch that is not taken out.
    pub(super) fn each(&self, visit: impl FnMut(&mut BatchInFlight)) {
        self.lock().batches.iter_mut().for_each(visit);
    }

    /// Returns whether all batches are completed.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().count == 0
    }

    /// Waits until fewer than `count` batches are in flight.
    pub(super) fn wait_below(&self, count: usize) {
        let mut state = self.lock();
        while state.count >= count {
            // Same as in `lock`.
            state = self
                .0
                .completed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No panic can leave the state inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InFlightPermit {
    fn drop(&mut self) {
        self.0.lock().count -= 1;
        self.0.completed.notify_all();
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        // Each batch has a permit, which refers to this state.
        drop(self.end());
    }
}
