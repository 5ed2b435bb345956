//! The exact bounds of what the readers accept.

#![cfg(not(loom))]

use super::batch_reader::{MIN_PARAMETER_BYTES, MIN_REQUEST_BYTES};
use super::*;

const INPUTS: usize = 2;
const OUTPUTS: usize = 2;

/// The size of the tensors of a description.
const DATA: usize = 24;

/// Changes to a valid description of one request with inputs of 8 and 16 bytes.
#[derive(Clone, Copy)]
struct Description {
    spans: [Span; INPUTS],
    output: usize,
    inputs: [(usize, usize); 2],
    trailing: usize,
}

const VALID: Description = Description {
    spans: [Span { offset: 0, len: 8 }, Span { offset: 8, len: 16 }],
    output: 1,
    inputs: [(0, 8), (1, 16)],
    trailing: 0,
};

fn write(description: Description) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = BatchWriter::new(&mut bytes, INPUTS);
    writer.request("id", 5, None);
    writer.count(0);
    writer.count(1);
    writer.output(description.output);
    writer.count(2);
    for (input, len) in description.inputs {
        writer.input(input, len, &[1]);
    }
    for (input, span) in description.spans.into_iter().enumerate() {
        writer.span(input, span);
    }
    writer.finish(1);
    bytes.resize(bytes.len() + description.trailing, 0);
    bytes
}

fn read(bytes: &[u8], inputs: usize) -> Result<usize, ProtocolError> {
    let mut reader = BatchReader::default();
    let batch = reader.read(bytes, DATA, inputs, OUTPUTS)?;
    Ok(batch.len())
}

#[test]
fn a_description_is_refused_if_one_of_its_numbers_is_out_of_range() {
    use ProtocolError::{Bounds, Number};
    let first = |offset, len| Description {
        spans: [Span { offset, len }, VALID.spans[1]],
        inputs: [(0, len), (1, 16)],
        ..VALID
    };
    let inputs = |inputs| Description { inputs, ..VALID };
    let output = |output| Description { output, ..VALID };
    let table = [
        (VALID, Ok(1)),
        (output(OUTPUTS - 1), Ok(1)),
        (output(OUTPUTS), Err(Number)),
        (first(16, 8), Ok(1)),
        (first(17, 8), Err(Bounds)),
        (first(0, 24), Ok(1)),
        (first(0, 25), Err(Bounds)),
        (first(usize::MAX, 8), Err(Bounds)),
        (first(8, usize::MAX), Err(Bounds)),
        // The tensors of an input fill its span.
        (inputs([(0, 9), (1, 16)]), Err(Bounds)),
        (inputs([(0, 8), (0, usize::MAX)]), Err(Bounds)),
        (inputs([(0, 7), (1, 16)]), Err(Number)),
        (inputs([(0, 4), (0, 4)]), Err(Number)),
        (inputs([(0, 8), (INPUTS, 16)]), Err(Number)),
        (
            Description {
                trailing: 1,
                ..VALID
            },
            Err(Number),
        ),
    ];
    for (number, (description, expected)) in table.into_iter().enumerate() {
        assert_eq!(read(&write(description), INPUTS), expected, "{number}");
    }
    for inputs in [INPUTS - 1, INPUTS + 1] {
        assert_eq!(read(&write(VALID), inputs), Err(Number));
    }
    for len in 0..write(VALID).len() {
        let cut = read(&write(VALID)[..len], INPUTS);
        assert_eq!(cut, Err(ProtocolError::Short), "{len}");
    }
}

#[test]
fn a_reader_forgets_the_batch_before() {
    let bytes = write(VALID);
    let mut reader = BatchReader::default();
    for _ in 0..2 {
        let batch = reader.read(&bytes, DATA, INPUTS, OUTPUTS).unwrap();
        assert_eq!((batch.len(), batch.is_empty()), (1, false));
        assert_eq!(batch.spans(), VALID.spans);
    }
    let mut none = Vec::new();
    BatchWriter::new(&mut none, 0).finish(0);
    let batch = reader.read(&none, DATA, 0, 0).unwrap();
    assert!(batch.is_empty() && batch.spans().is_empty());
}

#[test]
fn the_smallest_requests_and_parameters_are_read() {
    let mut bytes = Vec::new();
    let mut writer = BatchWriter::new(&mut bytes, 0);
    let mut marks = vec![writer.mark()];
    for _ in 0..3 {
        writer.request("", 0, None);
        for _ in 0..3 {
            writer.count(0);
        }
        marks.push(writer.mark());
    }
    writer.finish(3);
    let expected: Vec<usize> = (0..4).map(|count| 8 + count * MIN_REQUEST_BYTES).collect();
    assert_eq!(marks, expected);
    assert_eq!(read(&bytes, 0), Ok(3));

    let mut bytes = Vec::new();
    let mut writer = ResponseWriter::new(&mut bytes);
    writer.parameters(2);
    writer.parameter("", Parameter::Bool(true));
    writer.parameter("", Parameter::Bool(false));
    writer.outputs(0);
    assert_eq!(bytes.len(), 1 + 4 + 2 * MIN_PARAMETER_BYTES + 4);
    let contents = ResponseContents::read(&bytes, 0, 0).unwrap().unwrap();
    let expected = [("", Parameter::Bool(true)), ("", Parameter::Bool(false))];
    assert_eq!(contents.parameters, expected);
    assert_eq!(contents.outputs().count(), 0);
}

#[test]
fn parameters_of_every_kind_are_read_as_they_were_written() {
    let parameters = [
        ("string", Parameter::String("text")),
        ("int", Parameter::Int64(-1)),
        ("true", Parameter::Bool(true)),
        ("false", Parameter::Bool(false)),
        ("double", Parameter::Double(0.5)),
    ];
    let mut bytes = Vec::new();
    let mut writer = BatchWriter::new(&mut bytes, 0);
    writer.request("id", 7, None);
    writer.count(parameters.len());
    for (name, value) in parameters {
        writer.parameter(name, value);
    }
    writer.count(0);
    writer.count(0);
    writer.finish(1);
    let mut reader = BatchReader::default();
    let batch = reader.read(&bytes, 0, 0, 0).unwrap();
    let request = batch.requests().next().unwrap();
    assert_eq!((request.id, request.timeout), ("id", 7));
    assert_eq!(request.parameters().collect::<Vec<_>>(), parameters);
}

#[test]
fn a_request_that_is_taken_back_leaves_nothing() {
    let write = |taken_back: bool| {
        let mut bytes = Vec::new();
        let mut writer = BatchWriter::new(&mut bytes, INPUTS);
        let mark = writer.mark();
        if taken_back {
            writer.request("id", 5, None);
            writer.count(1);
            writer.rewind(mark);
        }
        writer.request("other", 6, None);
        writer.finish(1);
        bytes
    };
    assert_eq!(write(true), write(false));
}

#[test]
fn a_list_that_cannot_fit_is_refused_before_its_first_entry() {
    // The count, the bytes after it, the minimum size of an entry.
    let table = [
        (0, 0, 16, Ok(0)),
        (2, 32, 16, Ok(2)),
        (2, 31, 16, Err(ProtocolError::Short)),
        (3, 2, 0, Err(ProtocolError::Short)),
    ];
    for (count, rest, min_bytes, expected) in table {
        let mut bytes = Vec::new();
        Writer(&mut bytes).count(count);
        bytes.resize(bytes.len() + rest, 0);
        let mut reader = Reader::new(&bytes);
        let mut entries = 0;
        let got = reader.each(min_bytes, |_| {
            entries += 1;
            Ok(())
        });
        assert_eq!(got, expected);
        assert_eq!(entries, expected.unwrap_or(0));
        assert_eq!((reader.len(), reader.is_empty()), (rest, rest == 0));
    }
}
