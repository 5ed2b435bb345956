use super::Reader;
use super::batch_reader::{BatchReader, Entry, parameter};

/// A batch as the worker reads it.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    description: &'a [u8],
    read: &'a BatchReader,
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
#[derive(Debug, Clone, Copy)]
pub struct BatchRequest<'a> {
    /// The client's id.
    pub id: &'a str,
    /// How long it may wait, in microseconds.
    pub timeout: u64,
    /// The sequence it belongs to.
    pub sequence: Option<Sequence<'a>>,
    /// The outputs it asks for, by number.
    pub outputs: &'a [usize],
    entry: &'a Entry,
    batch: Batch<'a>,
}

/// The place of a request in a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sequence<'a> {
    /// What the client calls the sequence.
    pub id: Correlation<'a>,
    /// Whether the request is its first.
    pub start: bool,
    /// Whether the request is its last.
    pub end: bool,
}

/// What a client calls a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correlation<'a> {
    /// A number.
    Number(u64),
    /// A text.
    Text(&'a str),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputPart<'a> {
    /// The input, by number.
    pub input: usize,
    /// Where its bytes lie.
    pub span: Span,
    /// Its dimensions.
    pub dims: &'a [usize],
}

impl<'a> Batch<'a> {
    pub(super) fn new(description: &'a [u8], read: &'a BatchReader) -> Self {
        Self { description, read }
    }

    /// Where the tensors of each input lie, all requests' together.
    pub fn spans(self) -> &'a [Span] {
        &self.read.spans
    }

    /// How many requests there are.
    pub fn len(self) -> usize {
        self.read.requests.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.read.requests.is_empty()
    }

    /// The requests, in their order.
    pub fn requests(self) -> impl ExactSizeIterator<Item = BatchRequest<'a>> {
        self.read.requests.iter().map(move |entry| {
            let id = self.description.get(entry.id.clone()).unwrap_or_default();
            BatchRequest {
                // It was read as a text before.
                id: std::str::from_utf8(id).unwrap_or_default(),
                timeout: entry.timeout,
                sequence: entry
                    .sequence
                    .as_ref()
                    .map(|place| place.of(self.description)),
                outputs: &self.read.outputs[entry.outputs.clone()],
                entry,
                batch: self,
            }
        })
    }
}

impl<'a> BatchRequest<'a> {
    /// Its parameters and forwarded headers.
    pub fn parameters(self) -> impl Iterator<Item = (&'a str, Parameter<'a>)> {
        let rest = self.batch.description.get(self.entry.parameters..);
        let mut reader = Reader::new(rest.unwrap_or_default());
        // They were read before.
        (0..self.entry.parameter_count).map_while(move |_| parameter(&mut reader).ok())
    }

    /// Its inputs.
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
