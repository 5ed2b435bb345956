use super::batch_reader::{END, SEQUENCE, START, TEXT};
use super::{Correlation, Parameter, Sequence, Span, Writer};

/// Writes a batch in the order of its methods: spans, then for each request its head, parameters,
/// outputs and inputs.
#[derive(Debug)]
pub struct BatchWriter<'a> {
    writer: Writer<'a>,
    /// The offset of the number of requests.
    requests: usize,
}

impl<'a> BatchWriter<'a> {
    /// Begins a batch of a model with `inputs` inputs.
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

    /// Returns the current length of the description, between two requests.
    pub fn mark(&self) -> usize {
        self.writer.0.len()
    }

    /// Removes everything written after a mark.
    pub fn rewind(&mut self, mark: usize) {
        self.writer.0.truncate(mark);
    }

    /// Writes the number of requests.
    pub fn finish(self, requests: usize) {
        let count = u32::try_from(requests).unwrap_or(u32::MAX);
        let field = self.writer.0.get_mut(self.requests..self.requests + 4);
        if let Some(field) = field {
            field.copy_from_slice(&count.to_le_bytes());
        }
    }

    /// Begins a request.
    pub fn request(&mut self, id: &str, timeout: u64, sequence: Option<Sequence<'_>>) {
        self.writer.bytes(id.as_bytes());
        self.writer.u64(timeout);
        let Some(Sequence { id, start, end }) = sequence else {
            return self.writer.u8(0);
        };
        let flag = |set, flag| if set { flag } else { 0 };
        let flags = SEQUENCE | flag(start, START) | flag(end, END);
        match id {
            Correlation::Number(number) => {
                self.writer.u8(flags);
                self.writer.u64(number);
            }
            Correlation::Text(text) => {
                self.writer.u8(flags | TEXT);
                self.writer.bytes(text.as_bytes());
            }
        }
    }

    /// Writes the number of parameters, outputs or inputs that follow.
    pub fn count(&mut self, count: usize) {
        self.writer.count(count);
    }

    /// Writes a parameter of the request.
    pub fn parameter(&mut self, name: &str, value: Parameter<'_>) {
        write_parameter(&mut self.writer, name, value);
    }

    /// Writes a requested output.
    pub fn output(&mut self, output: usize) {
        self.writer.count(output);
    }

    /// Writes an input of the request.
    pub fn input(&mut self, input: usize, len: usize, dims: &[i64]) {
        self.writer.count(input);
        self.writer.u64(len as u64);
        self.writer.dims(dims);
    }

    /// Writes the location of an input's tensors, after all requests are written.
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
