use super::{Reader, WireError, Writer};

/// A batch as the worker reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch<'a> {
    /// Where the tensors of each input lie, all requests' together.
    pub spans: Vec<Span>,
    /// The requests, in their order.
    pub requests: Vec<BatchRequest<'a>>,
}

/// Where bytes lie among the tensors of a batch or an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub offset: usize,
    /// How many.
    pub len: usize,
}

/// A request of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRequest<'a> {
    /// The client's id.
    pub id: &'a str,
    /// How long it may wait, in microseconds.
    pub timeout: u64,
    /// Its parameters and forwarded headers.
    pub parameters: Vec<(&'a str, Parameter<'a>)>,
    /// The outputs it asks for, by number.
    pub outputs: Vec<usize>,
    /// Its inputs.
    pub inputs: Vec<InputPart>,
}

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter<'a> {
    /// A text.
    String(&'a str),
    /// An integer.
    Int64(i64),
    /// A boolean.
    Bool(bool),
    /// A floating-point number.
    Double(f64),
}

/// A request's part of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPart {
    /// The input, by number.
    pub input: usize,
    /// Where its bytes lie.
    pub span: Span,
    /// Its dimensions.
    pub dims: Vec<usize>,
}

/// The fewest bytes of a parameter: name, kind, value.
pub(super) const LEAST_PARAMETER: usize = 4 + 1 + 1;

/// The fewest bytes of a request: id, timeout, three empty lists.
const LEAST_REQUEST: usize = 4 + 8 + 3 * 4;

impl<'a> Batch<'a> {
    /// Reads a batch whose tensors are `data` bytes together.
    ///
    /// # Errors
    ///
    /// A [`WireError`] when the bytes are no description of a batch with `inputs` inputs and `outputs` outputs.
    pub fn read(
        bytes: &'a [u8],
        data: usize,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, WireError> {
        let mut reader = Reader::new(bytes);
        let spans = reader.list(16, |reader| span(reader, data))?;
        if spans.len() != inputs {
            return Err(WireError::Number);
        }
        // How much of each input the requests have taken so far.
        let mut taken = vec![0_usize; inputs];
        let requests = reader.list(LEAST_REQUEST, |reader| {
            request(reader, &spans, &mut taken, outputs)
        })?;
        let whole = spans
            .iter()
            .zip(&taken)
            .all(|(span, &taken)| span.len == taken);
        if !whole || !reader.is_empty() {
            return Err(WireError::Number);
        }
        Ok(Self { spans, requests })
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

fn request<'a>(
    reader: &mut Reader<'a>,
    spans: &[Span],
    taken: &mut [usize],
    outputs: usize,
) -> Result<BatchRequest<'a>, WireError> {
    Ok(BatchRequest {
        id: reader.text()?,
        timeout: reader.u64()?,
        parameters: reader.list(LEAST_PARAMETER, parameter)?,
        outputs: reader.list(4, |reader| match reader.u32()? as usize {
            output if output < outputs => Ok(output),
            _ => Err(WireError::Number),
        })?,
        inputs: reader.list(16, |reader| input(reader, spans, taken))?,
    })
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

fn input(
    reader: &mut Reader<'_>,
    spans: &[Span],
    taken: &mut [usize],
) -> Result<InputPart, WireError> {
    let input = reader.u32()? as usize;
    let len = reader.size()?;
    let (Some(span), Some(taken)) = (spans.get(input), taken.get_mut(input)) else {
        return Err(WireError::Number);
    };
    let end = taken.checked_add(len).filter(|&end| end <= span.len);
    let part = Span {
        // Not beyond the span's end, which fits.
        offset: span.offset + *taken,
        len,
    };
    *taken = end.ok_or(WireError::Bounds)?;
    let dims = reader.list(8, Reader::size)?;
    Ok(InputPart {
        input,
        span: part,
        dims,
    })
}

/// Writes a batch, in the order of its methods: spans, and for each request its head, parameters, outputs, inputs.
#[derive(Debug)]
pub struct BatchWriter<'a> {
    writer: Writer<'a>,
    /// Where the number of requests stands.
    requests: usize,
}

impl<'a> BatchWriter<'a> {
    /// Begins a batch of requests of a model with `inputs` inputs.
    pub fn new(bytes: &'a mut Vec<u8>, inputs: usize) -> Self {
        bytes.clear();
        let mut writer = Writer(bytes);
        writer.count(inputs);
        for _ in 0..2 * inputs {
            writer.u64(0);
        }
        let requests = writer.0.len();
        writer.count(0);
        Self { writer, requests }
    }

    /// How far the description has come, between two requests.
    pub fn mark(&self) -> usize {
        self.writer.0.len()
    }

    /// Forgets what was written after a mark.
    pub fn rewind(&mut self, mark: usize) {
        self.writer.0.truncate(mark);
    }

    /// Says how many requests were written.
    pub fn finish(self, requests: usize) {
        let count = u32::try_from(requests).unwrap_or(u32::MAX);
        let place = self.writer.0.get_mut(self.requests..self.requests + 4);
        if let Some(place) = place {
            place.copy_from_slice(&count.to_le_bytes());
        }
    }

    /// Begins a request.
    pub fn request(&mut self, id: &str, timeout: u64) {
        self.writer.bytes(id.as_bytes());
        self.writer.u64(timeout);
    }

    /// How many parameters, outputs or inputs follow.
    pub fn count(&mut self, count: usize) {
        self.writer.count(count);
    }

    /// A parameter of the request.
    pub fn parameter(&mut self, name: &str, value: Parameter<'_>) {
        write_parameter(&mut self.writer, name, value);
    }

    /// An output that the request asks for.
    pub fn output(&mut self, output: usize) {
        self.writer.count(output);
    }

    /// An input of the request.
    pub fn input(&mut self, input: usize, len: usize, dims: &[i64]) {
        self.writer.count(input);
        self.writer.u64(len as u64);
        self.writer.dims(dims);
    }

    /// Says, when all requests are written, where the tensors of an input lie.
    pub fn span(&mut self, input: usize, span: Span) {
        let at = 4 + 16 * input;
        if let Some(bytes) = self.writer.0.get_mut(at..at + 16) {
            bytes[..8].copy_from_slice(&(span.offset as u64).to_le_bytes());
            bytes[8..].copy_from_slice(&(span.len as u64).to_le_bytes());
        }
    }
}

/// Writes a parameter.
pub(super) fn write_parameter(writer: &mut Writer<'_>, name: &str, value: Parameter<'_>) {
    writer.bytes(name.as_bytes());
    match value {
        Parameter::String(text) => {
            writer.u8(0);
            writer.bytes(text.as_bytes());
        }
        Parameter::Int64(value) => {
            writer.u8(1);
            writer.i64(value);
        }
        Parameter::Bool(value) => {
            writer.u8(2);
            writer.u8(value.into());
        }
        Parameter::Double(value) => {
            writer.u8(3);
            writer.u64(value.to_bits());
        }
    }
}
