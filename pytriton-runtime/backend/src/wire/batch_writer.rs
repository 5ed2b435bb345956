use super::batch_reader::{END, SEQUENCE, START, TEXT};
use super::{Correlation, Parameter, Sequence, Span, Writer};

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
