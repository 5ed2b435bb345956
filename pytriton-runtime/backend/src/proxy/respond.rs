use crate::failure::Failure;
use crate::ffi::{Batch, now};
use crate::session::{Receiver, SessionError, TensorNames};
use crate::wire::{Answer, Contents, WireError};

use super::flight::{Flight, UnderWay};

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
        receiver: &Receiver<'_>,
        answer: &Answer,
    ) -> Result<(), SessionError> {
        let data = receiver.read(answer, &mut self.description)?;
        let outputs = self.names.outputs.len();
        let contents = Contents::read(&self.description, data.len(), outputs)?;
        let mut answered = self.answered.iter();
        let known = answered.position(|under_way| under_way.number == answer.batch);
        let index = match known {
            Some(index) => index,
            None => {
                let under_way = self.flight.take(answer.batch).ok_or(WireError::Number)?;
                self.answered.push(under_way);
                self.answered.len() - 1
            }
        };
        let UnderWay {
            batch, positions, ..
        } = &mut self.answered[index];
        let index = positions.get(answer.request as usize);
        let &index = index.ok_or(WireError::Number)?;
        // More than one answer to a request: no model is decoupled.
        if !answer.last || answer.sequence != 0 || batch.request(index).is_none() {
            return Err(WireError::Number.into());
        }
        batch.called(answer.begun);
        batch.computed(now());
        let responded = contents.and_then(|contents| {
            batch.begin(index)?;
            pass_on(batch, index, &contents, self.names, data)
        });
        match responded {
            Ok(()) => batch.finish(index),
            Err(failure) => batch.fail(index, failure),
        }
        Ok(())
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
