use crate::failure::{Code, Failure};
use crate::ffi::{Batch, now};
use crate::session::{Client, Receiver, SessionError, TensorNames};
use crate::started_sequences::Refusal;
use crate::wire::{Answer, Contents, WireError};

use super::course::Course;
use super::flight::{Flight, UnderWay};
use super::model::Model;
use super::proxy::failure;

/// Forwards responses to Triton. Responses that arrive together are sent together; those of a
/// decoupled model are sent immediately.
#[derive(Debug)]
pub(super) struct Responder<'a> {
    client: &'a Client,
    model: &'a Model,
    flight: &'a Flight,
    description: Vec<u8>,
    /// The batches that have received responses.
    answered: Vec<UnderWay>,
}

impl<'a> Responder<'a> {
    pub(super) fn new(client: &'a Client, model: &'a Model, flight: &'a Flight) -> Self {
        Self {
            client,
            model,
            flight,
            description: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// Converts a response to Triton's.
    pub(super) fn respond(
        &mut self,
        receiver: &mut Receiver<'_>,
        answer: &Answer,
    ) -> Result<(), SessionError> {
        if self.model.names.decoupled {
            return self.respond_in_part(receiver, answer);
        }
        let mut description = std::mem::take(&mut self.description);
        let read = receiver.read(answer, &mut description);
        let names = &*self.model.names;
        let UnderWay {
            batch, positions, ..
        } = self.under_way(answer.batch)?;
        let index = positions.get(answer.request as usize);
        let &index = index.ok_or(WireError::Number)?;
        // A second response to a request of a model that is not decoupled.
        if !answer.last || answer.sequence != 0 || batch.request(index).is_none() {
            return Err(WireError::Number.into());
        }
        batch.called(answer.begun);
        batch.computed(now());
        let responded = match read {
            Ok(data) => match Contents::read(&description, data.len(), names.outputs.len())? {
                Ok(contents) => batch
                    .begin(index)
                    .and_then(|()| pass_on(batch, index, &contents, names, data)),
                Err(failure) => Err(failure),
            },
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
        answer: &Answer,
    ) -> Result<(), SessionError> {
        let mut description = std::mem::take(&mut self.description);
        let (client, names) = (self.client, &*self.model.names);
        let under_way = self.under_way(answer.batch)?;
        let index = under_way.hear(answer)?;
        under_way.batch.called(answer.begun);
        under_way.batch.computed(now());
        let asked = under_way.batch.request(index);
        let awaited = asked.is_some_and(|request| !request.cancelled());
        if !awaited && !answer.last {
            under_way.stop(client, answer.request);
        } else if answer.description.len > 0 {
            let batch = &mut under_way.batch;
            let sent = match receiver.read(answer, &mut description) {
                Ok(data) => match Contents::read(&description, data.len(), names.outputs.len())? {
                    Ok(contents) => send(batch, index, &contents, names, data),
                    Err(failure) if answer.last => Err(failure),
                    Err(failure) => batch
                        .begin(index)
                        .map(|()| batch.part(index, Some(&failure))),
                },
                Err(error @ SessionError::Memory(_)) => Err(failure(&error)),
                Err(error) => return Err(error),
            };
            if let Err(failure) = sent {
                batch.fail(index, failure);
                under_way.stop(client, answer.request);
            }
        } else if !answer.last {
            under_way.batch.count(index);
        }
        if answer.last {
            under_way.batch.finish(index);
        }
        self.description = description;
        Ok(())
    }

    /// Handles a batch for which the worker has no address space.
    pub(super) fn refuse(&mut self, batch: u64) -> Result<(), SessionError> {
        let model = self.model;
        let UnderWay {
            batch,
            courses,
            positions,
            ..
        } = self.under_way(batch)?;
        model.note_refused(batch, positions, Refusal::NotHandedOver);
        courses.iter_mut().for_each(Course::end);
        let message = "no shared memory for the batch in the process that runs the model";
        batch.fail_all(&Failure::new(Code::Unavailable, message));
        Ok(())
    }

    fn under_way(&mut self, number: u64) -> Result<&mut UnderWay, WireError> {
        let mut answered = self.answered.iter();
        let known = answered.position(|under_way| under_way.number == number);
        let index = match known {
            Some(index) => index,
            None => {
                let under_way = self.flight.take(number).ok_or(WireError::Number)?;
                self.answered.push(under_way);
                self.answered.len() - 1
            }
        };
        Ok(&mut self.answered[index])
    }

    /// Sends all responses that are complete.
    pub(super) fn send(&mut self) {
        for mut under_way in self.answered.drain(..) {
            under_way.batch.send();
            match under_way.is_over() {
                true => self.flight.land(under_way),
                false => self.flight.put_back(under_way),
            }
        }
    }
}

impl Drop for Responder<'_> {
    fn drop(&mut self) {
        // The responses that were read are valid, whatever came after them.
        self.send();
    }
}

/// Sends a response that is not the last.
fn send(
    batch: &mut Batch,
    index: usize,
    contents: &Contents<'_>,
    names: &TensorNames,
    data: &[u8],
) -> Result<(), Failure> {
    batch.begin(index)?;
    pass_on(batch, index, contents, names, data)?;
    batch.part(index, None);
    Ok(())
}

fn pass_on(
    batch: &mut Batch,
    index: usize,
    contents: &Contents<'_>,
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
