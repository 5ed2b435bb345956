use std::ops::Range;

use super::{Batch, Parameter, Reader, Span, WireError};

/// Reads batches, one after the other in the same memory.
#[derive(Debug, Default)]
pub struct BatchReader {
    pub(super) spans: Vec<Span>,
    /// How much of each input the requests have taken so far.
    taken: Vec<usize>,
    pub(super) requests: Vec<Entry>,
    pub(super) outputs: Vec<usize>,
    pub(super) inputs: Vec<Part>,
    pub(super) dims: Vec<usize>,
}

/// What is where of a request: each ends where that of the next one begins.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) timeout: u64,
    /// In the description.
    pub(super) id: Range<usize>,
    pub(super) parameters: usize,
    pub(super) parameter_count: usize,
    pub(super) outputs: Range<usize>,
    pub(super) inputs: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) input: usize,
    pub(super) span: Span,
    pub(super) dims: Range<usize>,
}

/// The fewest bytes of a parameter: name, kind, value.
pub(super) const LEAST_PARAMETER: usize = 4 + 1 + 1;

/// The fewest bytes of a request: id, timeout, three empty lists.
const LEAST_REQUEST: usize = 4 + 8 + 3 * 4;

impl BatchReader {
    /// Reads a batch whose tensors are `data` bytes together.
    ///
    /// # Errors
    ///
    /// A [`WireError`] when the bytes are no description of a batch with `inputs` inputs and `outputs` outputs.
    pub fn read<'a>(
        &'a mut self,
        description: &'a [u8],
        data: usize,
        inputs: usize,
        outputs: usize,
    ) -> Result<Batch<'a>, WireError> {
        self.clear();
        let mut reader = Reader::new(description);
        reader.each(16, |reader| {
            self.spans.push(span(reader, data)?);
            Ok(())
        })?;
        if self.spans.len() != inputs {
            return Err(WireError::Number);
        }
        self.taken.resize(inputs, 0);
        let position = |reader: &Reader<'_>| description.len() - reader.len();
        reader.each(LEAST_REQUEST, |reader| {
            let id = reader.text()?.len();
            let id = position(reader) - id..position(reader);
            let timeout = reader.u64()?;
            let parameters = position(reader) + 4;
            let parameter_count = reader.each(LEAST_PARAMETER, |reader| {
                parameter(reader)?;
                Ok(())
            })?;
            let first = self.outputs.len();
            reader.each(4, |reader| match reader.u32()? as usize {
                output if output < outputs => {
                    self.outputs.push(output);
                    Ok(())
                }
                _ => Err(WireError::Number),
            })?;
            let outputs = first..self.outputs.len();
            let first = self.inputs.len();
            reader.each(16, |reader| self.input(reader))?;
            self.requests.push(Entry {
                timeout,
                id,
                parameters,
                parameter_count,
                outputs,
                inputs: first..self.inputs.len(),
            });
            Ok(())
        })?;
        let mut spans = self.spans.iter().zip(&self.taken);
        let whole = spans.all(|(span, &taken)| span.len == taken);
        if !whole || !reader.is_empty() {
            return Err(WireError::Number);
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

    fn input(&mut self, reader: &mut Reader<'_>) -> Result<(), WireError> {
        let input = reader.u32()? as usize;
        let len = reader.size()?;
        let (Some(span), Some(taken)) = (self.spans.get(input), self.taken.get_mut(input)) else {
            return Err(WireError::Number);
        };
        let end = taken.checked_add(len).filter(|&end| end <= span.len);
        let span = Span {
            // Not beyond the span's end, which fits.
            offset: span.offset + *taken,
            len,
        };
        *taken = end.ok_or(WireError::Bounds)?;
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

/// Reads where bytes lie among so many.
pub(super) fn span(reader: &mut Reader<'_>, data: usize) -> Result<Span, WireError> {
    let (offset, len) = (reader.size()?, reader.size()?);
    match offset.checked_add(len) {
        Some(end) if end <= data => Ok(Span { offset, len }),
        _ => Err(WireError::Bounds),
    }
}

/// Reads a parameter.
pub(super) fn parameter<'a>(
    reader: &mut Reader<'a>,
) -> Result<(&'a str, Parameter<'a>), WireError> {
    Ok((reader.text()?, value(reader)?))
}

fn value<'a>(reader: &mut Reader<'a>) -> Result<Parameter<'a>, WireError> {
    match reader.u8()? {
        0 => reader.text().map(Parameter::String),
        1 => reader.i64().map(Parameter::Int64),
        2 => reader.u8().map(|byte| Parameter::Bool(byte != 0)),
        3 => reader
            .u64()
            .map(|bits| Parameter::Double(f64::from_bits(bits))),
        _ => Err(WireError::Number),
    }
}
