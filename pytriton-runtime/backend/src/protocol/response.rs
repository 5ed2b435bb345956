use crate::failure::{Code, Failure};

use super::{Parameter, ProtocolError, Reader, Span, Writer, batch_reader, batch_writer};

/// The content of a response. Its memory is reused for the next one.
#[derive(Debug, Default)]
pub struct ResponseContents<'a> {
    /// Its parameters.
    pub parameters: Vec<(&'a str, Parameter<'a>)>,
    parts: Vec<(OutputPart, usize)>,
    dims: Vec<i64>,
}

/// An output of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputPart {
    /// The number of the output.
    pub output: usize,
    /// The location of its bytes among the tensors.
    pub span: Span,
}

/// Writes one response: its parameters, then its outputs; or a failure.
#[derive(Debug)]
pub struct ResponseWriter<'a>(Writer<'a>);

const OUTPUTS: u8 = 0;

impl<'a> ResponseWriter<'a> {
    /// Appends a response to `bytes`.
    pub fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self(Writer(bytes))
    }

    /// Writes a failure, which is the complete response.
    pub fn failed(mut self, code: Code, message: &str) {
        self.0.u8(code as u8);
        self.0.bytes(message.as_bytes());
    }

    /// Writes the number of parameters, which follow.
    pub fn parameters(&mut self, count: usize) {
        self.0.u8(OUTPUTS);
        self.0.count(count);
    }

    /// Writes a parameter.
    pub fn parameter(&mut self, name: &str, value: Parameter<'_>) {
        batch_writer::write_parameter(&mut self.0, name, value);
    }

    /// Writes the number of outputs, which follow the parameters.
    pub fn outputs(&mut self, count: usize) {
        self.0.count(count);
    }

    /// Writes an output.
    pub fn output(&mut self, output_part: OutputPart, dims: impl ExactSizeIterator<Item = i64>) {
        self.0.count(output_part.output);
        self.0.u64(output_part.span.offset as u64);
        self.0.u64(output_part.span.len as u64);
        self.0.count(dims.len());
        for dim in dims {
            self.0.i64(dim);
        }
    }
}

impl<'a> ResponseContents<'a> {
    /// Reads a response of a model with `outputs` outputs, whose tensors are within `data` bytes.
    ///
    /// # Errors
    ///
    /// Returns a [`ProtocolError`] if it is malformed, or refers to bytes outside the segment.
    pub fn read(
        bytes: &'a [u8],
        data: usize,
        outputs: usize,
    ) -> Result<Result<Self, Failure>, ProtocolError> {
        let mut reader = Reader::new(bytes);
        let kind = reader.u8()?;
        if kind != OUTPUTS {
            let code = Code::from_byte(kind).ok_or(ProtocolError::Number)?;
            return Ok(Err(Failure::new(code, reader.text()?)));
        }
        let mut contents = Self {
            parameters: reader.list(batch_reader::MIN_PARAMETER_BYTES, batch_reader::parameter)?,
            ..Self::default()
        };
        let dims = &mut contents.dims;
        contents.parts = reader.list(24, |reader| {
            let output_part = output_part(reader, data, outputs)?;
            let before = dims.len();
            dims.extend(reader.list(8, Reader::i64)?);
            Ok((output_part, dims.len() - before))
        })?;
        if !reader.is_empty() {
            return Err(ProtocolError::Number);
        }
        Ok(Ok(contents))
    }

    /// Returns the outputs with their shapes.
    pub fn outputs(&self) -> impl Iterator<Item = (OutputPart, &[i64])> {
        let mut dims = self.dims.as_slice();
        self.parts.iter().map(move |&(output_part, rank)| {
            let (own, rest) = dims.split_at(rank.min(dims.len()));
            dims = rest;
            (output_part, own)
        })
    }
}

fn output_part(
    reader: &mut Reader<'_>,
    data: usize,
    outputs: usize,
) -> Result<OutputPart, ProtocolError> {
    let output = reader.u32()? as usize;
    if output >= outputs {
        return Err(ProtocolError::Number);
    }
    let span = batch_reader::span(reader, data)?;
    Ok(OutputPart { output, span })
}
