use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::failure::{Code, Failure};
use crate::ffi::{Batch, now};
use crate::gather::{Gathering, Pieces};
use crate::readiness;
use crate::session::{AllocatedBatch, BatchMessage, Client, Receiver, SessionError, Welcome};
use crate::started_sequences::Refusal;

use super::failure::failure;
use super::in_flight::InFlight;
use super::model::Model;
use super::respond::Responder;

/// A connection of an instance to the worker, and its batches in flight.
#[derive(Debug)]
pub(super) struct Session {
    client: Client,
    model: Model,
    max_in_flight: usize,
    /// The error if the worker's instances cannot serve.
    unavailable: String,
    in_flight: InFlight,
    /// Reads the responses, if several batches can be in flight.
    reader: Mutex<Option<JoinHandle<()>>>,
}

/// The interval at which requests that wait in the worker are checked for cancellation.
const CANCELLATION_POLL_INTERVAL: Duration = Duration::from_millis(20);

impl Session {
    pub(super) fn start(
        client: Client,
        model: Model,
        welcome: &Welcome,
    ) -> Result<Arc<Self>, SessionError> {
        let session = Arc::new(Self {
            client,
            model,
            max_in_flight: welcome.batches_in_flight.max(1) as usize,
            unavailable: welcome.unavailable.clone(),
            in_flight: InFlight::default(),
            reader: Mutex::default(),
        });
        if session.max_in_flight > 1 {
            let reading = Arc::clone(&session);
            let reader = thread::Builder::new()
                .name("pytriton_answers".to_owned())
                .spawn(move || reading.read(|| false))?;
            *session.lock() = Some(reader);
        }
        Ok(session)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(super) fn is_ready(&self) -> bool {
        self.client.is_ready()
    }

    /// Hands a batch over, and returns when the next one may follow.
    pub(super) fn execute(&self, batch: Batch, gathering: &mut Gathering) {
        let Some(number) = self.hand_over(batch, gathering) else {
            return;
        };
        if self.max_in_flight == 1 {
            self.read(|| self.in_flight.is_empty());
        } else {
            // Meanwhile, requests wait in Triton's queue, where they can be batched and can time
            // out.
            self.in_flight.wait_below(self.max_in_flight);
        }
        debug_assert!(self.max_in_flight > 1 || self.in_flight.take(number).is_none());
    }

    /// Waits until all batches in flight are completed, and ends the session.
    pub(super) fn stop(&self) {
        if self.max_in_flight > 1 {
            self.in_flight.wait_below(1);
        }
        self.client.close();
        let reader = self.lock().take();
        if let Some(reader) = reader {
            // A panic of the reader is a bug that must not prevent the shutdown.
            let _ = reader.join();
        }
    }

    /// Hands a batch over; `None` if it is already completed.
    fn hand_over(&self, mut batch: Batch, gathering: &mut Gathering) -> Option<u64> {
        if !self.model.names.has_sequences() {
            // In a sequence, later requests depend on each one, so a cancelled request still runs.
            batch.drop_cancelled();
        }
        let mut refused = Vec::new();
        let pieces = gathering.plan(&batch, |index, failure| refused.push((index, failure)));
        let allocated = match gathering.positions().is_empty() {
            true => None,
            false => Some(self.write(gathering, pieces)),
        };
        for (index, failure) in refused {
            batch.fail(index, failure);
        }
        for &index in gathering.padding_rows() {
            batch.complete_padding(index);
        }
        if self.model.names.decoupled {
            batch.decouple();
        }
        batch.gathered(now(), gathering.rows());
        let allocated = match allocated {
            Some(Ok(allocated)) => allocated,
            Some(Err(error)) => {
                self.refuse(batch, gathering.positions(), &error);
                return None;
            }
            None => {
                batch.send();
                return None;
            }
        };
        let (number, is_only) = match self.insert(batch, gathering.positions()) {
            Ok(entered) => entered,
            Err(batch) => {
                self.client.abandon(allocated);
                self.refuse(batch, gathering.positions(), &SessionError::Closed);
                return None;
            }
        };
        if let Err(error) = self.client.send_batch(number, allocated) {
            // Another thread may have taken it out after it found the session broken.
            if let Some(mut entry) = self.in_flight.take(number) {
                entry.batch.fail_all(&failure(&error));
                entry.batch.send();
                self.in_flight.complete(entry);
            }
        }
        if is_only && self.max_in_flight > 1 {
            // From here on a request may be cancelled, so the reader must start to poll.
            self.client.interrupt();
        }
        Some(number)
    }

    /// Refuses the requests at those positions of a batch that cannot be handed over.
    fn refuse(&self, mut batch: Batch, positions: &[usize], error: &SessionError) {
        let (refusal, failure) = match error {
            SessionError::Unavailable => {
                let message = self.unavailable.clone();
                let failure = Failure::new(Code::Unavailable, message);
                (Refusal::Stalled, failure)
            }
            error => (Refusal::NotHandedOver, failure(error)),
        };
        self.model.note_refused(&batch, positions, refusal);
        // Its sequences cannot continue elsewhere, although other instances serve.
        let is_only_this_one =
            refusal == Refusal::Stalled && readiness::of_load(self.model.loaded_model);
        if self.model.names.has_sequences() && is_only_this_one {
            for &index in positions {
                let request = batch.request(index);
                let sequence = request.and_then(|request| request.sequence().ok()?);
                if let Some(sequence) = sequence {
                    let ended = self.model.started.ended(&sequence);
                    batch.fail(index, ended);
                }
            }
        }
        batch.fail_all(&failure);
        batch.send();
    }

    /// Writes a batch into memory that the worker can read.
    fn write(
        &self,
        gathering: &mut Gathering,
        pieces: Pieces<'_>,
    ) -> Result<AllocatedBatch, SessionError> {
        let (description, data) = (gathering.description().len(), gathering.data());
        let mut allocated = self.client.prepare(description, data)?;
        let described = allocated.describe(gathering.description());
        let written = described.and_then(|()| {
            gathering.gather(pieces, |offset, bytes| allocated.write(offset, bytes))
        });
        match written {
            Ok(()) => Ok(allocated),
            Err(error) => {
                self.client.abandon(allocated);
                Err(error)
            }
        }
    }

    fn insert(&self, batch: Batch, positions: &[usize]) -> Result<(u64, bool), Batch> {
        (self.in_flight).insert(batch, positions, self.model.names.decoupled)
    }

    /// Reads responses until `done`, or until the session has ended.
    fn read(&self, done: impl Fn() -> bool) {
        // Dropped last. If reading stops early for any reason, including a panic, the session and
        // its batches end.
        let mut end = EndOfReading {
            session: self,
            error: Some(SessionError::ReaderEnded),
        };
        let mut receiver = self.client.receiver();
        end.error = self.read_from(&mut receiver, done).err();
    }

    fn read_from(
        &self,
        receiver: &mut Receiver<'_>,
        done: impl Fn() -> bool,
    ) -> Result<(), SessionError> {
        let mut responder = Responder::new(&self.client, &self.model, &self.in_flight);
        let mut last_poll = None;
        loop {
            while let Some(heard) = receiver.next_message()? {
                match heard {
                    BatchMessage::Response(response) => responder.respond(receiver, &response)?,
                    BatchMessage::Refused { batch } => responder.refuse(batch)?,
                }
            }
            responder.send();
            if done() {
                receiver.release();
                return Ok(());
            }
            let should_poll = || self.may_cancel() && !self.in_flight.is_empty();
            if !should_poll() {
                // The closure sees a batch that is handed over from here on, or its interrupt ends
                // the wait.
                receiver.wait_unless(None, should_poll)?;
                continue;
            }
            let last = *last_poll.get_or_insert_with(Instant::now);
            receiver.wait(Some(CANCELLATION_POLL_INTERVAL))?;
            if last.elapsed() >= CANCELLATION_POLL_INTERVAL {
                self.cancel();
                last_poll = None;
            }
        }
    }

    /// Notifies the worker of cancelled requests.
    fn cancel(&self) {
        self.in_flight.each(|entry| {
            for (request, position) in (0..).zip(0..entry.positions.len()) {
                let received = entry.batch.request(entry.positions[position]);
                if received.is_some_and(|request| request.cancelled()) {
                    entry.stop(&self.client, request);
                }
            }
        });
    }

    /// Returns whether a request can be cancelled while it is in the worker, and the worker would
    /// notice.
    fn may_cancel(&self) -> bool {
        self.max_in_flight > 1 || self.model.names.decoupled || self.model.names.cancellable
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<JoinHandle<()>>> {
        // No panic can leave this state inconsistent.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a session whose responses are no longer read.
struct EndOfReading<'a> {
    session: &'a Session,
    /// The reason; `None` if the session continues.
    error: Option<SessionError>,
}

impl Drop for EndOfReading<'_> {
    fn drop(&mut self) {
        let Some(error) = &self.error else {
            return;
        };
        let Session {
            client, in_flight, ..
        } = self.session;
        client.close();
        let failure = failure(error);
        for mut entry in in_flight.end() {
            entry.batch.fail_all(&failure);
            entry.batch.send();
            in_flight.complete(entry);
        }
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
