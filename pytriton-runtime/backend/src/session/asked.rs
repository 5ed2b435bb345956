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

/// A batch that the worker has received.
#[derive(Debug)]
pub struct Asked {
    /// Its number.
    pub batch: u64,
    /// Its description, copied out of shared memory.
    pub description: Vec<u8>,
    /// The bytes of its tensors.
    pub data: Window,
}

/// The worker's state for reading tritonserver's messages.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    consumer: Consumer,
    views: Views,
    /// Batches that were read while looking for other messages.
    found: VecDeque<Asked>,
}

impl Server {
    /// Waits for a batch.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Closed`] if there will be none, and [`SessionError::Protocol`] if a
    /// message is invalid.
    pub fn take(&self) -> Result<Asked, SessionError> {
        loop {
            if let Some(asked) = self.take_within(None)? {
                return Ok(asked);
            }
        }
    }

    /// Same as [`take`](Self::take), but returns `None` at the deadline.
    ///
    /// # Errors
    ///
    /// Same as [`take`](Self::take).
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

    /// Returns the next batch, or waits for one for at most the given time.
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

    /// Returns whether a request of a batch was cancelled by its client or by the end of the
    /// session.
    pub fn is_cancelled(&self, batch: u64, request: u32) -> bool {
        // If another thread holds the lock, it reads the same messages.
        if let Ok(mut incoming) = self.incoming.try_lock() {
            match self.hear(&mut incoming) {
                Ok(Some(asked)) => incoming.found.push_back(asked),
                Ok(None) => {}
                // The messages cannot be read again.
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
            // The data of a message is returned by another message.
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
                    // If the batch was answered in the meantime, the cancellation is obsolete.
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

    /// Reports that a batch cannot be read.
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
