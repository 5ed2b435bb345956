use super::Reader;
use super::batch_reader::{BatchReader, Entry, parameter};

/// A batch as the worker reads it.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    description: &'a [u8],
    read: &'a BatchReader,
}

/// The location of bytes among the tensors of a batch or a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The offset of the first byte.
    pub offset: usize,
    /// The number of bytes.
    pub len: usize,
}

/// A request of a batch.
#[derive(Debug, Clone, Copy)]
pub struct BatchRequest<'a> {
    /// The client's request id.
    pub id: &'a str,
    /// The queue timeout in microseconds.
    pub timeout: u64,
    /// The sequence it belongs to.
    pub sequence: Option<Sequence<'a>>,
    /// The numbers of the requested outputs.
    pub outputs: &'a [usize],
    entry: &'a Entry,
    batch: Batch<'a>,
}

/// The position of a request in a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sequence<'a> {
    /// The client's id of the sequence.
    pub id: Correlation<'a>,
    /// Whether the request is the first of the sequence.
    pub start: bool,
    /// Whether the request is the last of the sequence.
    pub end: bool,
}

/// A sequence id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correlation<'a> {
    /// A number.
    Number(u64),
    /// A string.
    Text(&'a str),
}

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter<'a> {
    /// A string.
    String(&'a str),
    /// An integer.
    Int64(i64),
    /// A boolean.
    Bool(bool),
    /// A floating-point number.
    Double(f64),
}

/// A request's part of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputPart<'a> {
    /// The number of the input.
    pub input: usize,
    /// The location of its bytes.
    pub span: Span,
    /// Its shape.
    pub dims: &'a [usize],
}

impl<'a> Batch<'a> {
    pub(super) fn new(description: &'a [u8], read: &'a BatchReader) -> Self {
        Self { description, read }
    }

    /// Returns the location of each input's tensors, for all requests together.
    pub fn spans(self) -> &'a [Span] {
        &self.read.spans
    }

    /// Returns the number of requests.
    pub fn len(self) -> usize {
        self.read.requests.len()
    }

    /// Returns whether there are no requests.
    pub fn is_empty(self) -> bool {
        self.read.requests.is_empty()
    }

    /// Returns the requests in order.
    pub fn requests(self) -> impl ExactSizeIterator<Item = BatchRequest<'a>> {
        self.read.requests.iter().map(move |entry| {
            let id = self.description.get(entry.id.clone()).unwrap_or_default();
            BatchRequest {
                // It was validated before.
                id: std::str::from_utf8(id).unwrap_or_default(),
                timeout: entry.timeout,
                sequence: entry
                    .sequence
                    .as_ref()
                    .map(|sequence| sequence.of(self.description)),
                outputs: &self.read.outputs[entry.outputs.clone()],
                entry,
                batch: self,
            }
        })
    }
}

impl<'a> BatchRequest<'a> {
    /// Returns its parameters and forwarded headers.
    pub fn parameters(self) -> impl Iterator<Item = (&'a str, Parameter<'a>)> {
        let rest = self.batch.description.get(self.entry.parameters..);
        let mut reader = Reader::new(rest.unwrap_or_default());
        // They were validated before.
        (0..self.entry.parameter_count).map_while(move |_| parameter(&mut reader).ok())
    }

    /// Returns its inputs.
    pub fn inputs(self) -> impl Iterator<Item = InputPart<'a>> {
        let read = self.batch.read;
        let parts = read.inputs[self.entry.inputs.clone()].iter();
        parts.map(|part| InputPart {
            input: part.input,
            span: part.span,
            dims: &read.dims[part.dims.clone()],
        })
    }
}
