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

/// The place of a batch among those under way. It is given back wherever the batch is dropped.
#[derive(Debug)]
pub(super) struct FlightPermit(Arc<Shared>);

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Those too that somebody has taken out to answer them.
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
    /// For each request that was handed over its position in the batch.
    pub(super) positions: Vec<usize>,
    /// The requests of which the worker was told that nobody waits for them.
    pub(super) cancelled: Vec<u32>,
    /// Where requests may have any number of answers, what each has had.
    pub(super) courses: Vec<Course>,
    permit: FlightPermit,
}

impl UnderWay {
    /// Notes one of any number of answers, and says to which request of the batch.
    ///
    /// # Errors
    ///
    /// [`WireError::Number`] when there is no such request, or another answer is the next.
    pub(super) fn hear(&mut self, answer: &Answer) -> Result<usize, WireError> {
        let request = answer.request as usize;
        let course = self.courses.get_mut(request).ok_or(WireError::Number)?;
        course.hear(answer)?;
        self.positions
            .get(request)
            .copied()
            .ok_or(WireError::Number)
    }

    /// Tells the worker once that nobody waits for the answers to a request.
    pub(super) fn stop(&mut self, client: &Client, request: u32) {
        // Where there is no room for it now, there is when it is said again.
        if !self.cancelled.contains(&request) && client.cancel(self.number, request).is_ok() {
            self.cancelled.push(request);
        }
    }

    /// Whether all requests are answered, and the worker has nothing more to say to them.
    pub(super) fn is_over(&self) -> bool {
        self.batch.is_answered() && self.courses.iter().all(|course| course.is_over())
    }
}

impl Flight {
    /// Notes a batch, and gives it a number; says whether it is the only one. Gives it back when there is nobody who would answer it.
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

    /// Puts a batch back of which requests are not answered.
    pub(super) fn put_back(&self, under_way: UnderWay) {
        self.lock().batches.push(under_way);
    }

    /// Forgets a batch that is answered.
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

    /// Takes all batches out, and takes no more in.
    pub(super) fn end(&self) -> Vec<UnderWay> {
        let mut state = self.lock();
        state.ended = true;
        std::mem::take(&mut state.batches)
    }

    /// Looks at the batches that nobody has taken out.
    pub(super) fn each(&self, look: impl FnMut(&mut UnderWay)) {
        self.lock().batches.iter_mut().for_each(look);
    }

    /// Whether a batch is not answered.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().count == 0
    }

    /// Waits until fewer than `count` batches are under way.
    pub(super) fn wait_below(&self, count: usize) {
        let mut state = self.lock();
        while state.count >= count {
            // As in `lock`.
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
        // Each has a permit, which keeps what it is part of.
        drop(self.end());
    }
}
