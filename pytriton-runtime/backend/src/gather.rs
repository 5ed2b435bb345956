use std::ffi::{CStr, CString};
use std::sync::Arc;

use crate::arena::place;
use crate::failure::Failure;
use crate::ffi::{self, Batch, Input, Request, Value};
use crate::protocol::{BatchWriter, Correlation, Parameter, Sequence, Span};
use crate::session::TensorNames;
use crate::started_sequences::{Refusal, StartedSequences};

/// The layout of a batch: its description, and the offset of each input. The memory is reused for
/// the next batch.
#[derive(Debug)]
pub struct Gathering {
    inputs: Numbers,
    outputs: Numbers,
    batching: bool,
    sequential: bool,
    started: Arc<StartedSequences>,
    description: Vec<u8>,
    spans: Vec<Span>,
    positions: Vec<usize>,
    padding_rows: Vec<usize>,
    data: usize,
    rows: u64,
    reusable: Vec<Piece<'static>>,
}

/// The pieces of a batch's inputs in the order in which they are copied.
#[derive(Debug)]
pub struct Pieces<'b>(Vec<Piece<'b>>);

/// Bytes of one input of one request.
#[derive(Debug)]
struct Piece<'b> {
    input: usize,
    /// The position among all pieces.
    order: usize,
    bytes: &'b [u8],
}

/// The indices of names.
#[derive(Debug)]
struct Numbers {
    sorted: Vec<(CString, usize)>,
}

impl Gathering {
    /// Creates the state for batches of a model with these tensors. Only sequences
    /// in `started` continue.
    pub fn new(names: &TensorNames, started: Arc<StartedSequences>) -> Self {
        Self {
            inputs: Numbers::new(names.inputs.iter()),
            outputs: Numbers::new(names.outputs.iter().map(|(name, _)| name)),
            batching: names.batching,
            sequential: names.has_sequences(),
            started,
            description: Vec::new(),
            spans: Vec::new(),
            positions: Vec::new(),
            padding_rows: Vec::new(),
            data: 0,
            rows: 0,
            reusable: Vec::new(),
        }
    }

    /// Describes the requests of a batch that are not completed. Calls `refuse` with each request
    /// that is malformed or does not match the model; it is left out of the batch.
    pub fn plan<'b>(
        &mut self,
        batch: &'b Batch,
        mut refuse: impl FnMut(usize, Failure),
    ) -> Pieces<'b> {
        let inputs = self.inputs.sorted.len();
        self.spans.clear();
        self.spans.resize(inputs, Span::default());
        self.positions.clear();
        self.padding_rows.clear();
        self.rows = 0;
        let mut pieces = reuse(std::mem::take(&mut self.reusable));
        let mut writer = BatchWriter::new(&mut self.description, inputs);
        for (index, request) in batch.requests() {
            let (mark, before) = (writer.mark(), pieces.len());
            let names = (&self.inputs, &self.outputs);
            let started = self.sequential.then_some(&*self.started);
            match describe(request, names, started, (&mut writer, &mut pieces)) {
                // A padding row without a request.
                Ok(None) => self.padding_rows.push(index),
                Ok(Some(rows)) => {
                    self.positions.push(index);
                    self.rows += if self.batching { rows } else { 1 };
                }
                Err(failure) => {
                    writer.rewind(mark);
                    pieces.truncate(before);
                    if let (Some(started), Ok(Some(sequence))) = (started, request.sequence()) {
                        started.refuse(&sequence, Refusal::NotHandedOver);
                    }
                    refuse(index, failure);
                }
            }
        }
        for piece in &pieces {
            self.spans[piece.input].len += piece.bytes.len();
        }
        self.data = 0;
        for (input, span) in self.spans.iter_mut().enumerate() {
            // Lengths of data in memory do not overflow.
            span.offset = place(&mut self.data, span.len).unwrap_or(usize::MAX);
            writer.span(input, *span);
        }
        writer.finish(self.positions.len());
        pieces.sort_unstable_by_key(|piece| (piece.input, piece.order));
        Pieces(pieces)
    }

    /// Returns the description of the batch.
    pub fn description(&self) -> &[u8] {
        &self.description
    }

    /// Returns the positions of the described requests in the batch.
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// Returns the positions of padding rows. Triton fills the rows of sequences that have no
    /// request in this batch with them.
    pub fn padding_rows(&self) -> &[usize] {
        &self.padding_rows
    }

    /// Returns the size of all tensors, including the padding between them.
    pub fn data(&self) -> usize {
        self.data
    }

    /// Returns the number of rows of all requests.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Copies the bytes of all inputs to their offsets, in ascending order.
    ///
    /// # Errors
    ///
    /// Returns the error of `write`.
    pub fn gather<E>(
        &mut self,
        pieces: Pieces<'_>,
        mut write: impl FnMut(usize, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Pieces(pieces) = pieces;
        let mut copied = Ok(());
        let mut places = self.spans.iter().map(|span| span.offset);
        let mut input = usize::MAX;
        let mut offset = 0;
        for piece in &pieces {
            while input != piece.input {
                offset = places.next().unwrap_or(usize::MAX);
                input = input.wrapping_add(1);
            }
            copied = write(offset, piece.bytes);
            if copied.is_err() {
                break;
            }
            offset += piece.bytes.len();
        }
        self.reusable = reuse(pieces);
        copied
    }
}

impl Numbers {
    fn new<'n>(names: impl Iterator<Item = &'n CString>) -> Self {
        let mut sorted: Vec<_> = names.cloned().zip(0..).collect();
        sorted.sort();
        Self { sorted }
    }

    fn of(&self, name: &CStr) -> Result<usize, Failure> {
        let found = self
            .sorted
            .binary_search_by(|(other, _)| other.as_c_str().cmp(name));
        match found {
            Ok(index) => Ok(self.sorted[index].1),
            Err(_) => {
                let name = name.to_string_lossy();
                Err(Failure::internal(format!(
                    "the model has no tensor '{name}'"
                )))
            }
        }
    }
}

/// Describes a request and collects the pieces of its inputs. Returns its number of rows, or `None`
/// for a padding row of a sequence model.
fn describe<'b>(
    request: Request<'b>,
    (inputs, outputs): (&Numbers, &Numbers),
    started: Option<&StartedSequences>,
    (writer, pieces): (&mut BatchWriter<'_>, &mut Vec<Piece<'b>>),
) -> Result<Option<u64>, Failure> {
    let sequence = request.sequence()?;
    if let Some(started) = started {
        let Some(sequence) = &sequence else {
            return Ok(None);
        };
        started.check(sequence)?;
    }
    let sequence = sequence.as_ref().map(|sequence| Sequence {
        id: match &sequence.id {
            ffi::Correlation::Number(number) => Correlation::Number(*number),
            ffi::Correlation::Text(text) => Correlation::Text(text),
        },
        start: sequence.start,
        end: sequence.end,
    });
    writer.request(&request.id()?, request.timeout()?, sequence);
    let parameters = request.parameter_count()?;
    writer.count(parameters as usize);
    for index in 0..parameters {
        let (name, value) = request.parameter(index)?;
        let value = match &value {
            Value::String(text) => Parameter::String(text),
            Value::Int64(value) => Parameter::Int64(*value),
            Value::Bool(value) => Parameter::Bool(*value),
            Value::Double(value) => Parameter::Double(*value),
        };
        writer.parameter(&name, value);
    }
    let count = request.output_count()?;
    writer.count(count as usize);
    for index in 0..count {
        writer.output(outputs.of(request.output(index)?)?);
    }
    let count = request.input_count()?;
    writer.count(count as usize);
    let mut rows = 1;
    for index in 0..count {
        let input = request.input(index)?;
        let number = inputs.of(input.name)?;
        writer.input(number, note(&input, number, pieces)?, input.dims);
        let first = input.dims.first().copied().unwrap_or(1);
        rows = u64::try_from(first).unwrap_or(1);
    }
    Ok(Some(rows))
}

/// Collects the pieces of an input and returns its length.
fn note<'b>(
    input: &Input<'b>,
    number: usize,
    pieces: &mut Vec<Piece<'b>>,
) -> Result<usize, Failure> {
    let mut len = 0_usize;
    for bytes in input.buffers() {
        let bytes = bytes?;
        len = len.saturating_add(bytes.len());
        pieces.push(Piece {
            input: number,
            order: pieces.len(),
            bytes,
        });
    }
    if len as u64 != input.len {
        let name = input.name.to_string_lossy();
        let expected = input.len;
        let message = format!("input '{name}' has {expected} bytes, of which {len} can be read");
        return Err(Failure::internal(message));
    }
    Ok(len)
}

/// Reuses the memory of the pieces with another lifetime.
fn reuse<'to>(mut pieces: Vec<Piece<'_>>) -> Vec<Piece<'to>> {
    pieces.clear();
    let empty = pieces.into_iter().map(|piece| Piece {
        input: piece.input,
        order: piece.order,
        bytes: &[],
    });
    empty.collect()
}
