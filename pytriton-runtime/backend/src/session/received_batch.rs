use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::arena::{Region, align};
use crate::protocol::{ProtocolError, ToServer, ToWorker};
use crate::ring::Consumer;
use crate::shm::{RegionOwner, View, Views, Window, receive};

use super::end::lock;
use super::region_returns::RegionReturns;
use super::{Server, SessionError};

/// A batch that the worker has received.
#[derive(Debug)]
pub struct ReceivedBatch {
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
    found: VecDeque<ReceivedBatch>,
}

impl Server {
    /// Waits for a batch.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Closed`] if there will be none, and [`SessionError::Protocol`] if a
    /// message is invalid.
    pub fn take(&self) -> Result<ReceivedBatch, SessionError> {
        loop {
            if let Some(received_batch) = self.take_within(None)? {
                return Ok(received_batch);
            }
        }
    }

    /// Same as [`take`](Self::take), but returns `None` at the deadline.
    ///
    /// # Errors
    ///
    /// Same as [`take`](Self::take).
    pub fn take_until(&self, deadline: Instant) -> Result<Option<ReceivedBatch>, SessionError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.take_within(Some(left))? {
                None if left.is_zero() => return Ok(None),
                None => {}
                received_batch => return Ok(received_batch),
            }
        }
    }

    /// Returns the next batch, or waits for one for at most the given time.
    fn take_within(
        &self,
        at_most: Option<Duration>,
    ) -> Result<Option<ReceivedBatch>, SessionError> {
        let end = &self.returns.end;
        let mut incoming = lock(&self.incoming);
        if end.is_closed() {
            return Err(SessionError::Closed);
        }
        let received_batch = self.next(&mut incoming)?;
        if received_batch.is_none() && at_most.is_none_or(|most| !most.is_zero()) {
            let ring = end.incoming();
            incoming.consumer.wait(&ring, &end.ending, at_most)?;
        }
        Ok(received_batch)
    }

    /// Returns whether a request of a batch was cancelled by its client or by the end of the
    /// session.
    pub fn is_cancelled(&self, batch: u64, request: u32) -> bool {
        // If another thread holds the lock, it reads the same messages.
        if let Ok(mut incoming) = self.incoming.try_lock() {
            match self.read_messages(&mut incoming) {
                Ok(Some(received_batch)) => incoming.found.push_back(received_batch),
                Ok(None) => {}
                // The messages cannot be read again.
                Err(_) => self.close(),
            }
        }
        self.returns.end.is_closed() || lock(&self.cancelled).contains(&(batch, request))
    }

    fn next(&self, incoming: &mut Incoming) -> Result<Option<ReceivedBatch>, SessionError> {
        match incoming.found.pop_front() {
            Some(received_batch) => Ok(Some(received_batch)),
            None => self.read_messages(incoming),
        }
    }

    /// Reads messages up to the next batch.
    fn read_messages(
        &self,
        incoming: &mut Incoming,
    ) -> Result<Option<ReceivedBatch>, SessionError> {
        let end = &self.returns.end;
        let ring = end.incoming();
        while let Some(message) = incoming.consumer.pop(&ring)? {
            // The data of a message is returned by another message.
            incoming.consumer.release(&ring);
            match ToWorker::read(&message)? {
                ToWorker::Batch {
                    batch,
                    region,
                    description,
                    data,
                } => {
                    let view = match incoming.views.get(region.segment, region.len) {
                        Ok(view) => view.ok_or(ProtocolError::Bounds)?,
                        Err(_) => {
                            self.refuse(batch)?;
                            continue;
                        }
                    };
                    let received_batch =
                        self.received_batch(batch, view, region, (description, data));
                    return Ok(Some(received_batch.ok_or(ProtocolError::Bounds)?));
                }
                ToWorker::Cancel { batch, request } => {
                    // If the batch was completed in the meantime, the cancellation is obsolete.
                    if self.returns.is_open(batch) {
                        lock(&self.cancelled).push((batch, request));
                    }
                }
                ToWorker::Segment(number) => {
                    let [segment] = receive(&end.socket)?;
                    incoming.views.insert(number, segment);
                }
                ToWorker::Retired(number) => incoming.views.remove(number),
            }
        }
        Ok(None)
    }

    /// Reports that a batch cannot be read.
    fn refuse(&self, batch: u64) -> Result<(), SessionError> {
        let mut outgoing = lock(&self.returns.end.outgoing);
        self.push(&mut outgoing, ToServer::Returned { batch })?;
        self.push(&mut outgoing, ToServer::Refused { batch })?;
        outgoing.producer.publish(&self.returns.end.out());
        Ok(())
    }

    fn received_batch(
        &self,
        batch: u64,
        view: &Arc<View>,
        region: Region,
        (description, data): (usize, usize),
    ) -> Option<ReceivedBatch> {
        let start = align(description)?;
        let end = start.checked_add(data)?;
        if end > region.len {
            return None;
        }
        let description = view.bytes(region.offset, description)?;
        let mut bytes = lock(&self.buffers).description();
        bytes.extend_from_slice(description);
        let offset = region.offset.checked_add(start)?;
        let owner: Arc<dyn RegionOwner> = Arc::<RegionReturns>::clone(&self.returns);
        let window = Window::new(Arc::clone(view), (offset, data), batch, owner)?;
        self.returns.open(batch);
        Some(ReceivedBatch {
            batch,
            description: bytes,
            data: window,
        })
    }
}
