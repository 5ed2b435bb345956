use std::ops::Range;

use super::{Batch, Correlation, Parameter, ProtocolError, Reader, Sequence, Span};

/// Reads batches one after the other, reusing memory.
#[derive(Debug, Default)]
pub struct BatchReader {
    pub(super) spans: Vec<Span>,
    /// The bytes of each input that the requests so far have used.
    taken: Vec<usize>,
    pub(super) requests: Vec<Entry>,
    pub(super) outputs: Vec<usize>,
    pub(super) inputs: Vec<Part>,
    pub(super) dims: Vec<usize>,
}

/// The ranges of a request's parts.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) timeout: u64,
    pub(super) sequence: Option<EncodedSequence>,
    /// In the description.
    pub(super) id: Range<usize>,
    pub(super) parameters: usize,
    pub(super) parameter_count: usize,
    pub(super) outputs: Range<usize>,
    pub(super) inputs: Range<usize>,
}

/// The position of a request in a sequence.
#[derive(Debug)]
pub(super) struct EncodedSequence {
    id: Id,
    start: bool,
    end: bool,
}

#[derive(Debug)]
enum Id {
    Number(u64),
    /// In the description.
    Text(Range<usize>),
}

/// The flags before a sequence id.
pub(super) const SEQUENCE: u8 = 1;
pub(super) const START: u8 = 2;
pub(super) const END: u8 = 4;
pub(super) const TEXT: u8 = 8;

#[derive(Debug)]
pub(super) struct Part {
    pub(super) input: usize,
    pub(super) span: Span,
    pub(super) dims: Range<usize>,
}

/// The minimum size of a parameter: name, kind, value.
pub(super) const MIN_PARAMETER_BYTES: usize = 4 + 1 + 1;

/// The minimum size of a request: id, timeout, no sequence, three empty lists.
pub(super) const MIN_REQUEST_BYTES: usize = 4 + 8 + 1 + 3 * 4;

impl BatchReader {
    /// Reads a batch whose tensors have `data` bytes in total.
    ///
    /// # Errors
    ///
    /// Returns a [`ProtocolError`] if the bytes do not describe a batch with `inputs` inputs and
    /// `outputs` outputs.
    pub fn read<'a>(
        &'a mut self,
        description: &'a [u8],
        data: usize,
        inputs: usize,
        outputs: usize,
    ) -> Result<Batch<'a>, ProtocolError> {
        self.clear();
        let mut reader = Reader::new(description);
        reader.each(16, |reader| {
            self.spans.push(span(reader, data)?);
            Ok(())
        })?;
        if self.spans.len() != inputs {
            return Err(ProtocolError::Number);
        }
        self.taken.resize(inputs, 0);
        let position = |reader: &Reader<'_>| description.len() - reader.len();
        reader.each(MIN_REQUEST_BYTES, |reader| {
            let id = reader.text()?.len();
            let id = position(reader) - id..position(reader);
            let timeout = reader.u64()?;
            let sequence = sequence(reader, position)?;
            let parameters = position(reader) + 4;
            let parameter_count = reader.each(MIN_PARAMETER_BYTES, |reader| {
                parameter(reader)?;
                Ok(())
            })?;
            let first = self.outputs.len();
            reader.each(4, |reader| match reader.u32()? as usize {
                output if output < outputs => {
                    self.outputs.push(output);
                    Ok(())
                }
                _ => Err(ProtocolError::Number),
            })?;
            let outputs = first..self.outputs.len();
            let first = self.inputs.len();
            reader.each(16, |reader| self.input(reader))?;
            self.requests.push(Entry {
                timeout,
                sequence,
                id,
                parameters,
                parameter_count,
                outputs,
                inputs: first..self.inputs.len(),
            });
            Ok(())
        })?;
        let mut spans = self.spans.iter().zip(&self.taken);
        let complete = spans.all(|(span, &taken)| span.len == taken);
        if !complete || !reader.is_empty() {
            return Err(ProtocolError::Number);
        }
        Ok(Batch::new(description, self))
    }

    fn clear(&mut self) {
        self.spans.clear();
        self.taken.clear();
        self.requests.clear();
        self.outputs.clear();
        self.inputs.clear();
        self.dims.clear();
    }

    fn input(&mut self, reader: &mut Reader<'_>) -> Result<(), ProtocolError> {
        let input = reader.u32()? as usize;
        let len = reader.size()?;
        let (Some(span), Some(taken)) = (self.spans.get(input), self.taken.get_mut(input)) else {
            return Err(ProtocolError::Number);
        };
        let end = taken.checked_add(len).filter(|&end| end <= span.len);
        let span = Span {
            // Cannot overflow: it is at most the end of the span.
            offset: span.offset + *taken,
            len,
        };
        *taken = end.ok_or(ProtocolError::Bounds)?;
        let first = self.dims.len();
        reader.each(8, |reader| {
            self.dims.push(reader.size()?);
            Ok(())
        })?;
        let dims = first..self.dims.len();
        self.inputs.push(Part { input, span, dims });
        Ok(())
    }
}

impl EncodedSequence {
    /// Returns the sequence, with its id.
    pub(super) fn of<'a>(&self, description: &'a [u8]) -> Sequence<'a> {
        let id = match &self.id {
            Id::Number(number) => Correlation::Number(*number),
            Id::Text(range) => {
                let text = description.get(range.clone()).unwrap_or_default();
                // It was validated before.
                Correlation::Text(std::str::from_utf8(text).unwrap_or_default())
            }
        };
        Sequence {
            id,
            start: self.start,
            end: self.end,
        }
    }
}

/// Reads the sequence of a request. `position` returns the current offset in the description.
fn sequence(
    reader: &mut Reader<'_>,
    position: impl Fn(&Reader<'_>) -> usize,
) -> Result<Option<EncodedSequence>, ProtocolError> {
    let flags = reader.u8()?;
    if flags & SEQUENCE == 0 {
        return Ok(None);
    }
    let id = match flags & TEXT {
        0 => Id::Number(reader.u64()?),
        _ => {
            let len = reader.text()?.len();
            Id::Text(position(reader) - len..position(reader))
        }
    };
    Ok(Some(EncodedSequence {
        id,
        start: flags & START != 0,
        end: flags & END != 0,
    }))
}

/// Reads a location within `data` bytes.
pub(super) fn span(reader: &mut Reader<'_>, data: usize) -> Result<Span, ProtocolError> {
    let (offset, len) = (reader.size()?, reader.size()?);
    match offset.checked_add(len) {
        Some(end) if end <= data => Ok(Span { offset, len }),
        _ => Err(ProtocolError::Bounds),
    }
}

/// Reads a parameter.
pub(super) fn parameter<'a>(
    reader: &mut Reader<'a>,
) -> Result<(&'a str, Parameter<'a>), ProtocolError> {
    Ok((reader.text()?, value(reader)?))
}

fn value<'a>(reader: &mut Reader<'a>) -> Result<Parameter<'a>, ProtocolError> {
    match reader.u8()? {
        0 => reader.text().map(Parameter::String),
        1 => reader.i64().map(Parameter::Int64),
        2 => reader.u8().map(|byte| Parameter::Bool(byte != 0)),
        3 => reader
            .u64()
            .map(|bits| Parameter::Double(f64::from_bits(bits))),
        _ => Err(ProtocolError::Number),
    }
}
