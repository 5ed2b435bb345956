use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::arena::{Region, align};
use crate::ring::Consumer;
use crate::shm::{Lender, View, Views, Window, receive};
use crate::wire::{Down, Up, WireError};

use super::end::lock;
use super::lending::Lending;
use super::{Server, SessionError};

/// A batch that was asked.
#[derive(Debug)]
pub struct Asked {
    /// Its number.
    pub batch: u64,
    /// Its description, copied out of shared memory.
    pub description: Vec<u8>,
    /// The bytes of its tensors.
    pub data: Window,
}

/// What the worker's side has of what tritonserver says.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    consumer: Consumer,
    views: Views,
    /// Batches that were found by who looked for something else.
    found: VecDeque<Asked>,
}

impl Server {
    /// Waits for a batch.
    ///
    /// # Errors
    ///
    /// [`SessionError::Closed`] when there will be none, [`SessionError::Protocol`] when it is none.
    pub fn take(&self) -> Result<Asked, SessionError> {
        loop {
            if let Some(asked) = self.take_within(None)? {
                return Ok(asked);
            }
        }
    }

    /// The same, but `None` where there is none by then.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn take_until(&self, deadline: Instant) -> Result<Option<Asked>, SessionError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.take_within(Some(left))? {
                None if left.is_zero() => return Ok(None),
                None => {}
                asked => return Ok(asked),
            }
        }
    }

    /// The next batch, if there is one; otherwise waits for one, at most so long.
    fn take_within(&self, at_most: Option<Duration>) -> Result<Option<Asked>, SessionError> {
        let end = &self.lending.end;
        let mut incoming = lock(&self.incoming);
        if end.is_closed() {
            return Err(SessionError::Closed);
        }
        let asked = self.next(&mut incoming)?;
        if asked.is_none() && at_most.is_none_or(|most| !most.is_zero()) {
            let ring = end.incoming();
            incoming.consumer.wait(&ring, &end.ending, at_most)?;
        }
        Ok(asked)
    }

    /// Whether nobody waits for the answers to a request of a batch any more: its client has taken it back, or the session
    /// has ended.
    pub fn is_cancelled(&self, batch: u64, request: u32) -> bool {
        // Somebody else has it only to hear the same.
        if let Ok(mut incoming) = self.incoming.try_lock() {
            match self.hear(&mut incoming) {
                Ok(Some(asked)) => incoming.found.push_back(asked),
                Ok(None) => {}
                // What was said cannot be heard again.
                Err(_) => self.close(),
            }
        }
        self.lending.end.is_closed() || lock(&self.cancelled).contains(&(batch, request))
    }

    fn next(&self, incoming: &mut Incoming) -> Result<Option<Asked>, SessionError> {
        match incoming.found.pop_front() {
            Some(asked) => Ok(Some(asked)),
            None => self.hear(incoming),
        }
    }

    /// Reads messages up to the next batch.
    fn hear(&self, incoming: &mut Incoming) -> Result<Option<Asked>, SessionError> {
        let end = &self.lending.end;
        let ring = end.incoming();
        while let Some(message) = incoming.consumer.pop(&ring)? {
            // What a message speaks of is returned by another one.
            incoming.consumer.release(&ring);
            match Down::read(&message)? {
                Down::Batch {
                    batch,
                    region,
                    description,
                    data,
                } => {
                    let view = match incoming.views.get(region.segment, region.len) {
                        Ok(view) => view.ok_or(WireError::Bounds)?,
                        Err(_) => {
                            self.refuse(batch)?;
                            continue;
                        }
                    };
                    let asked = self.asked(batch, view, region, (description, data));
                    return Ok(Some(asked.ok_or(WireError::Bounds)?));
                }
                Down::Cancel { batch, request } => {
                    // One that was answered meanwhile is nobody's concern any more.
                    if self.lending.is_open(batch) {
                        lock(&self.cancelled).push((batch, request));
                    }
                }
                Down::Segment(number) => {
                    let [segment] = receive(&end.socket)?;
                    incoming.views.insert(number, segment);
                }
                Down::Retired(number) => incoming.views.remove(number),
            }
        }
        Ok(None)
    }

    /// Says that a batch cannot be read.
    fn refuse(&self, batch: u64) -> Result<(), SessionError> {
        let mut outgoing = lock(&self.lending.end.outgoing);
        self.push(&mut outgoing, Up::Returned { batch })?;
        self.push(&mut outgoing, Up::Refused { batch })?;
        outgoing.producer.publish(&self.lending.end.out());
        Ok(())
    }

    fn asked(
        &self,
        batch: u64,
        view: &Arc<View>,
        region: Region,
        (description, data): (usize, usize),
    ) -> Option<Asked> {
        let start = align(description)?;
        let end = start.checked_add(data)?;
        if end > region.len {
            return None;
        }
        let description = view.bytes(region.offset, description)?;
        let mut bytes = lock(&self.spare).description();
        bytes.extend_from_slice(description);
        let offset = region.offset.checked_add(start)?;
        let lender: Arc<dyn Lender> = Arc::<Lending>::clone(&self.lending);
        let window = Window::new(Arc::clone(view), (offset, data), batch, lender)?;
        self.lending.open(batch);
        Some(Asked {
            batch,
            description: bytes,
            data: window,
        })
    }
}
