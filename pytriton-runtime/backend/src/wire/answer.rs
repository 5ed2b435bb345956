use crate::failure::{Code, Failure};

use super::{Reader, Region, WireError, Writer};

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It has outputs, which are read one by one: as many as this.
    Outputs(u32),
    /// It failed.
    Failed(Failure),
}

/// An output of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The output, by number.
    pub output: usize,
    /// Where its bytes lie.
    pub region: Region,
}

/// Writes what became of the requests of a batch, in their order.
#[derive(Debug)]
pub struct AnswerWriter<'a>(Writer<'a>);

/// Reads what became of the requests of a batch, one after the other.
#[derive(Debug)]
pub struct AnswerReader<'a> {
    reader: Reader<'a>,
    data: usize,
    outputs: usize,
}

impl<'a> AnswerWriter<'a> {
    /// Begins an answer.
    pub fn new(bytes: &'a mut Vec<u8>) -> Self {
        bytes.clear();
        Self(Writer(bytes))
    }

    /// The next request has outputs, which follow.
    pub fn outputs(&mut self, count: usize) {
        self.0.u8(0);
        self.0.count(count);
    }

    /// An output of the request.
    pub fn output(&mut self, part: Part, dims: impl ExactSizeIterator<Item = i64>) {
        self.0.count(part.output);
        self.0.u64(part.region.offset as u64);
        self.0.u64(part.region.len as u64);
        self.0.count(dims.len());
        for dim in dims {
            self.0.i64(dim);
        }
    }

    /// The next request failed.
    pub fn failed(&mut self, code: Code, message: &str) {
        self.0.u8(code as u8);
        self.0.bytes(message.as_bytes());
    }
}

impl<'a> AnswerReader<'a> {
    /// Reads an answer whose tensors are `data` bytes together, of a model with `outputs` outputs.
    pub fn new(bytes: &'a [u8], data: usize, outputs: usize) -> Self {
        Self {
            reader: Reader::new(bytes),
            data,
            outputs,
        }
    }

    /// The next request's outcome.
    ///
    /// # Errors
    ///
    /// A [`WireError`] when there is none.
    pub fn outcome(&mut self) -> Result<Outcome, WireError> {
        match self.reader.u8()? {
            0 => self.reader.u32().map(Outcome::Outputs),
            byte => {
                let code = Code::from_byte(byte).ok_or(WireError::Number)?;
                Ok(Outcome::Failed(Failure::new(code, self.reader.text()?)))
            }
        }
    }

    /// The next output of the request; its dimensions replace those in `dims`.
    ///
    /// # Errors
    ///
    /// A [`WireError`] when there is none, or it lies outside the segment.
    pub fn output(&mut self, dims: &mut Vec<i64>) -> Result<Part, WireError> {
        let output = self.reader.u32()? as usize;
        let (offset, len) = (self.reader.size()?, self.reader.size()?);
        let end = offset.checked_add(len).ok_or(WireError::Bounds)?;
        if output >= self.outputs {
            return Err(WireError::Number);
        }
        if end > self.data {
            return Err(WireError::Bounds);
        }
        dims.clear();
        for _ in 0..self.reader.u32()? {
            dims.push(self.reader.i64()?);
        }
        let region = Region { offset, len };
        Ok(Part { output, region })
    }
}
