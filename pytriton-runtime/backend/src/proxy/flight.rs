use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::ffi::Batch;
use crate::session::Client;
use crate::wire::{Answer, WireError};

use super::course::Course;

/// The batches that were handed over and are not answered.
#[derive(Debug, Default)]
pub(super) struct Flight(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    landed: Condvar,
}

/// The slot of a batch in flight. It is released when the batch is dropped.
#[derive(Debug)]
pub(super) struct FlightPermit(Arc<Shared>);

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Includes batches that were taken out to be answered.
    count: usize,
    batches: Vec<UnderWay>,
    spare: Vec<Vec<usize>>,
    ended: bool,
}

/// A batch that was handed over.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) number: u64,
    pub(super) batch: Batch,
    /// The position in the batch of each request that was handed over.
    pub(super) positions: Vec<usize>,
    /// The requests whose cancellation was sent to the worker.
    pub(super) cancelled: Vec<u32>,
    /// The state of each request's responses, for a decoupled model.
    pub(super) courses: Vec<Course>,
    permit: FlightPermit,
}

impl UnderWay {
    /// Records one of any number of responses, and returns the position of its request in the
    /// batch.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Number`] if there is no such request, or the response is not the next
    /// one.
    pub(super) fn hear(&mut self, answer: &Answer) -> Result<usize, WireError> {
        let request = answer.request as usize;
        let course = self.courses.get_mut(request).ok_or(WireError::Number)?;
        course.hear(answer)?;
        self.positions
            .get(request)
            .copied()
            .ok_or(WireError::Number)
    }

    /// Notifies the worker once of the cancellation of a request.
    pub(super) fn stop(&mut self, client: &Client, request: u32) {
        // If the ring is full now, a later call sends it.
        if !self.cancelled.contains(&request) && client.cancel(self.number, request).is_ok() {
            self.cancelled.push(request);
        }
    }

    /// Returns whether all requests are answered and their responses have ended.
    pub(super) fn is_over(&self) -> bool {
        self.batch.is_answered() && self.courses.iter().all(|course| course.is_over())
    }
}

impl Flight {
    /// Registers a batch, and returns its number and whether it is the only one. Returns the batch
    /// if the session has ended.
    pub(super) fn enter(
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
        let mut spare = state.spare.pop().unwrap_or_default();
        spare.extend_from_slice(positions);
        let courses = match decoupled {
            true => vec![Course::default(); positions.len()],
            false => Vec::new(),
        };
        state.batches.push(UnderWay {
            number,
            batch,
            positions: spare,
            cancelled: Vec::new(),
            courses,
            permit: FlightPermit(Arc::clone(&self.0)),
        });
        Ok((number, state.count == 1))
    }

    /// Takes a batch out.
    pub(super) fn take(&self, number: u64) -> Option<UnderWay> {
        let mut state = self.lock();
        let mut batches = state.batches.iter();
        let index = batches.position(|under_way| under_way.number == number)?;
        Some(state.batches.swap_remove(index))
    }

    /// Puts back a batch with requests that are not answered.
    pub(super) fn put_back(&self, under_way: UnderWay) {
        self.lock().batches.push(under_way);
    }

    /// Releases a batch that is answered.
    pub(super) fn land(&self, under_way: UnderWay) {
        let UnderWay {
            batch,
            mut positions,
            permit,
            ..
        } = under_way;
        drop(batch);
        positions.clear();
        self.lock().spare.push(positions);
        drop(permit);
    }

    /// Takes all batches out, and accepts no more.
    pub(super) fn end(&self) -> Vec<UnderWay> {
        let mut state = self.lock();
        state.ended = true;
        std::mem::take(&mut state.batches)
    }

    /// Calls `look` with each batch that is not taken out.
    pub(super) fn each(&self, look: impl FnMut(&mut UnderWay)) {
        self.lock().batches.iter_mut().for_each(look);
    }

    /// Returns whether all batches are answered.
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
                .landed
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

impl Drop for FlightPermit {
    fn drop(&mut self) {
        self.0.lock().count -= 1;
        self.0.landed.notify_all();
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // Each batch has a permit, which refers to this state.
        drop(self.end());
    }
}
