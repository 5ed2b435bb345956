use crate::failure::{Code, Failure};
use crate::ffi::{Batch, now};
use crate::protocol::{ProtocolError, ResponseContents, ResponseMessage};
use crate::session::{Client, Receiver, SessionError, TensorNames};
use crate::started_sequences::Refusal;

use super::failure::failure;
use super::in_flight::{BatchInFlight, InFlight};
use super::model::Model;
use super::stream_state::StreamState;

/// Forwards responses to Triton. Responses that arrive together are sent together; those of a
/// decoupled model are sent immediately.
#[derive(Debug)]
pub(super) struct Responder<'a> {
    client: &'a Client,
    model: &'a Model,
    in_flight: &'a InFlight,
    description: Vec<u8>,
    /// The batches that have received responses.
    answered: Vec<BatchInFlight>,
}

impl<'a> Responder<'a> {
    pub(super) fn new(client: &'a Client, model: &'a Model, in_flight: &'a InFlight) -> Self {
        Self {
            client,
            model,
            in_flight,
            description: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// Converts a response to Triton's.
    pub(super) fn respond(
        &mut self,
        receiver: &mut Receiver<'_>,
        response: &ResponseMessage,
    ) -> Result<(), SessionError> {
        if self.model.names.decoupled {
            return self.respond_in_part(receiver, response);
        }
        let mut description = std::mem::take(&mut self.description);
        let read = receiver.read(response, &mut description);
        let names = &*self.model.names;
        let BatchInFlight {
            batch, positions, ..
        } = self.entry(response.batch)?;
        let index = positions.get(response.request as usize);
        let &index = index.ok_or(ProtocolError::Number)?;
        // A second response to a request of a model that is not decoupled.
        if !response.last || response.sequence != 0 || batch.request(index).is_none() {
            return Err(ProtocolError::Number.into());
        }
        batch.called(response.begun);
        batch.computed(now());
        let responded = match read {
            Ok(data) => {
                match ResponseContents::read(&description, data.len(), names.outputs.len())? {
                    Ok(contents) => batch
                        .begin(index)
                        .and_then(|()| forward(batch, index, &contents, names, data)),
                    Err(failure) => Err(failure),
                }
            }
            Err(error @ SessionError::Memory(_)) => Err(failure(&error)),
            Err(error) => return Err(error),
        };
        match responded {
            Ok(()) => batch.finish(index),
            Err(failure) => batch.fail(index, failure),
        }
        self.description = description;
        Ok(())
    }

    /// Sends one of the responses to a request immediately, or records their end.
    fn respond_in_part(
        &mut self,
        receiver: &mut Receiver<'_>,
        response: &ResponseMessage,
    ) -> Result<(), SessionError> {
        let mut description = std::mem::take(&mut self.description);
        let (client, names) = (self.client, &*self.model.names);
        let entry = self.entry(response.batch)?;
        let index = entry.record(response)?;
        entry.batch.called(response.begun);
        entry.batch.computed(now());
        let received = entry.batch.request(index);
        let awaited = received.is_some_and(|request| !request.cancelled());
        if !awaited && !response.last {
            entry.stop(client, response.request);
        } else if response.description.len > 0 {
            let batch = &mut entry.batch;
            let sent = match receiver.read(response, &mut description) {
                Ok(data) => {
                    match ResponseContents::read(&description, data.len(), names.outputs.len())? {
                        Ok(contents) => send(batch, index, &contents, names, data),
                        Err(failure) if response.last => Err(failure),
                        Err(failure) => batch
                            .begin(index)
                            .map(|()| batch.send_response(index, Some(&failure))),
                    }
                }
                Err(error @ SessionError::Memory(_)) => Err(failure(&error)),
                Err(error) => return Err(error),
            };
            if let Err(failure) = sent {
                batch.fail(index, failure);
                entry.stop(client, response.request);
            }
        } else if !response.last {
            entry.batch.count(index);
        }
        if response.last {
            entry.batch.finish(index);
        }
        self.description = description;
        Ok(())
    }

    /// Handles a batch for which the worker has no address space.
    pub(super) fn refuse(&mut self, batch: u64) -> Result<(), SessionError> {
        let model = self.model;
        let BatchInFlight {
            batch,
            streams,
            positions,
            ..
        } = self.entry(batch)?;
        model.note_refused(batch, positions, Refusal::NotHandedOver);
        streams.iter_mut().for_each(StreamState::end);
        let message = "the process that runs the model has no shared memory for the batch";
        batch.fail_all(&Failure::new(Code::Unavailable, message));
        Ok(())
    }

    fn entry(&mut self, number: u64) -> Result<&mut BatchInFlight, ProtocolError> {
        let mut answered = self.answered.iter();
        let known = answered.position(|entry| entry.number == number);
        let index = match known {
            Some(index) => index,
            None => {
                let entry = self.in_flight.take(number).ok_or(ProtocolError::Number)?;
                self.answered.push(entry);
                self.answered.len() - 1
            }
        };
        Ok(&mut self.answered[index])
    }

    /// Sends all responses that are complete.
    pub(super) fn send(&mut self) {
        for mut entry in self.answered.drain(..) {
            entry.batch.send();
            match entry.is_over() {
                true => self.in_flight.complete(entry),
                false => self.in_flight.put_back(entry),
            }
        }
    }
}

impl Drop for Responder<'_> {
    fn drop(&mut self) {
        // The responses that were read are valid, even if an error follows them.
        self.send();
    }
}

/// Sends a response that is not the last.
fn send(
    batch: &mut Batch,
    index: usize,
    contents: &ResponseContents<'_>,
    names: &TensorNames,
    data: &[u8],
) -> Result<(), Failure> {
    batch.begin(index)?;
    forward(batch, index, contents, names, data)?;
    batch.send_response(index, None);
    Ok(())
}

fn forward(
    batch: &mut Batch,
    index: usize,
    contents: &ResponseContents<'_>,
    names: &TensorNames,
    data: &[u8],
) -> Result<(), Failure> {
    for &(name, value) in &contents.parameters {
        batch.parameter(index, name, value)?;
    }
    for (part, dims) in contents.outputs() {
        let (name, datatype) = &names.outputs[part.output];
        // Both numbers were validated when they were read.
        let bytes = &data[part.span.offset..part.span.offset + part.span.len];
        batch.output(index, (name, *datatype), dims, bytes)?;
    }
    Ok(())
}
