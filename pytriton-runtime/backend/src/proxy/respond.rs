use crate::failure::{Code, Failure};
use crate::ffi::{Batch, now};
use crate::session::{Receiver, SessionError, TensorNames};
use crate::wire::{Answer, Contents, WireError};

use super::flight::{Flight, UnderWay};
use super::proxy::failure;

/// Passes answers on to Triton, those together that have come together.
#[derive(Debug)]
pub(super) struct Responder<'a> {
    names: &'a TensorNames,
    flight: &'a Flight,
    description: Vec<u8>,
    /// The batches to which answers have come.
    answered: Vec<UnderWay>,
}

impl<'a> Responder<'a> {
    pub(super) fn new(names: &'a TensorNames, flight: &'a Flight) -> Self {
        Self {
            names,
            flight,
            description: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// Makes Triton's response of an answer.
    pub(super) fn respond(
        &mut self,
        receiver: &mut Receiver<'_>,
        answer: &Answer,
    ) -> Result<(), SessionError> {
        let mut description = std::mem::take(&mut self.description);
        let read = receiver.read(answer, &mut description);
        let names = self.names;
        let UnderWay {
            batch, positions, ..
        } = self.under_way(answer.batch)?;
        let index = positions.get(answer.request as usize);
        let &index = index.ok_or(WireError::Number)?;
        // More than one answer to a request: no model is decoupled.
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

    /// Says of a batch that the worker has no addresses for it.
    pub(super) fn refuse(&mut self, batch: u64) -> Result<(), SessionError> {
        let UnderWay { batch, .. } = self.under_way(batch)?;
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

    /// Sends all responses that are made.
    pub(super) fn send(&mut self) {
        for mut under_way in self.answered.drain(..) {
            under_way.batch.send();
            match under_way.batch.is_answered() {
                true => self.flight.land(under_way),
                false => self.flight.put_back(under_way),
            }
        }
    }
}

impl Drop for Responder<'_> {
    fn drop(&mut self) {
        // What was read is right, whatever came after it.
        self.send();
    }
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
        // Both numbers were checked when they were read.
        let bytes = &data[part.span.offset..part.span.offset + part.span.len];
        batch.output(index, (name, *datatype), dims, bytes)?;
    }
    Ok(())
}
