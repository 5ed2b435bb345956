#![cfg(not(loom))]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::arena::{Region, place};

const INPUTS: usize = 3;
const OUTPUTS: usize = 2;

/// For each request: its id, its outputs, and the size of each input it has.
type Requests = Vec<(String, Vec<usize>, Vec<Option<u16>>)>;

fn requests() -> impl Strategy<Value = Requests> {
    let inputs = vec(proptest::option::of(0_u16..300), INPUTS);
    vec((".{0,6}", vec(0..OUTPUTS, 0..3), inputs), 0..6)
}

/// Returns the sequence of a request by its id: none, or one of either kind.
fn sequence(id: &str) -> Option<Sequence<'_>> {
    let letters = id.chars().count();
    let id = match letters % 3 {
        0 => return None,
        1 => Correlation::Number(u64::MAX - letters as u64),
        _ => Correlation::Text(id),
    };
    Some(Sequence {
        id,
        start: letters > 2,
        end: letters.is_multiple_of(2),
    })
}

/// Writes the requests. Returns the description and the size of the tensors.
fn write(requests: &Requests) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    let mut lens = [0; INPUTS];
    let mut writer = BatchWriter::new(&mut bytes, INPUTS);
    for (id, outputs, inputs) in requests {
        writer.request(id, 5, sequence(id));
        writer.count(4);
        writer.parameter(id, Parameter::String(id));
        writer.parameter("int", Parameter::Int64(-1));
        writer.parameter("bool", Parameter::Bool(true));
        writer.parameter("double", Parameter::Double(0.5));
        writer.count(outputs.len());
        for &output in outputs {
            writer.output(output);
        }
        writer.count(inputs.iter().flatten().count());
        for (input, len) in inputs.iter().enumerate() {
            if let Some(len) = len {
                lens[input] += usize::from(*len);
                writer.input(input, usize::from(*len), &[i64::from(*len), 1]);
            }
        }
    }
    let mut data = 0;
    for (input, len) in lens.into_iter().enumerate() {
        let offset = place(&mut data, len).unwrap();
        writer.span(input, Span { offset, len });
    }
    writer.finish(requests.len());
    (bytes, data)
}

proptest! {
    #[test]
    fn batch_round_trips(requests in requests()) {
        let (bytes, data) = write(&requests);
        let mut reader = BatchReader::default();
        let batch = reader.read(&bytes, data, INPUTS, OUTPUTS).unwrap();
        prop_assert_eq!(batch.len(), requests.len());
        for (read, (id, outputs, inputs)) in batch.requests().zip(&requests) {
            prop_assert_eq!(read.id, id);
            prop_assert_eq!(read.sequence, sequence(id));
            prop_assert_eq!(read.outputs, outputs);
            prop_assert_eq!(read.parameters().count(), 4);
            let lens = inputs.iter().enumerate().filter_map(|(input, len)| Some((input, (*len)?)));
            let lens: Vec<_> = lens.map(|(input, len)| (input, usize::from(len))).collect();
            let read: Vec<_> = read.inputs().map(|tensor| (tensor.input, tensor.span.len)).collect();
            prop_assert_eq!(read, lens);
        }
    }

    #[test]
    fn tensors_of_a_batch_never_overlap(requests in requests()) {
        let (bytes, data) = write(&requests);
        let mut reader = BatchReader::default();
        let batch = reader.read(&bytes, data, INPUTS, OUTPUTS).unwrap();
        let parts = batch.requests().flat_map(|request| request.inputs());
        let mut taken = vec![false; data];
        for tensor in parts {
            for byte in &mut taken[tensor.span.offset..tensor.span.offset + tensor.span.len] {
                prop_assert!(!std::mem::replace(byte, true));
            }
        }
    }

    #[test]
    fn corrupted_batch_never_leaves_the_segment(
        requests in requests(),
        corrupted in vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
        shorter in any::<bool>(),
    ) {
        let (mut bytes, data) = write(&requests);
        for (index, byte) in corrupted {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if shorter {
            bytes.truncate(cut.index(bytes.len()));
        }
        let mut reader = BatchReader::default();
        if let Ok(batch) = reader.read(&bytes, data, INPUTS, OUTPUTS) {
            for request in batch.requests() {
                prop_assert!(request.outputs.iter().all(|&output| output < OUTPUTS));
                for tensor in request.inputs() {
                    prop_assert!(tensor.input < INPUTS);
                    let end = tensor.span.offset.checked_add(tensor.span.len);
                    prop_assert!(end.is_some_and(|end| end <= data));
                }
            }
        }
    }

    #[test]
    fn corrupted_response_never_leaves_the_segment(bytes in vec(any::<u8>(), 0..200), data in 0_usize..500) {
        if let Ok(Ok(contents)) = ResponseContents::read(&bytes, data, OUTPUTS) {
            for (tensor, _) in contents.outputs() {
                prop_assert!(tensor.output < OUTPUTS);
                prop_assert!(tensor.span.offset + tensor.span.len <= data);
            }
        }
    }

    #[test]
    fn response_round_trips(
        outputs in vec((0..OUTPUTS, 0_usize..300, vec(any::<i64>(), 0..4)), 0..6),
        parameters in vec((".{0,5}", any::<i64>()), 0..4),
    ) {
        let mut bytes = Vec::new();
        let mut writer = ResponseWriter::new(&mut bytes);
        writer.parameters(parameters.len());
        for (name, value) in &parameters {
            writer.parameter(name, Parameter::Int64(*value));
        }
        writer.outputs(outputs.len());
        let mut used = 0;
        for (output, len, dims) in &outputs {
            let offset = place(&mut used, *len).unwrap();
            let tensor = OutputPart { output: *output, span: Span { offset, len: *len } };
            writer.output(tensor, dims.iter().copied());
        }
        let contents = ResponseContents::read(&bytes, used, OUTPUTS).unwrap().unwrap();
        let read = contents.outputs().map(|(tensor, dims)| (tensor.output, tensor.span.len, dims.to_vec()));
        prop_assert_eq!(read.collect::<Vec<_>>(), outputs);
        let read = contents.parameters.iter().map(|(name, value)| ((*name).to_owned(), *value));
        let written = parameters.into_iter().map(|(name, value)| (name, Parameter::Int64(value)));
        prop_assert_eq!(read.collect::<Vec<_>>(), written.collect::<Vec<_>>());
    }

    #[test]
    fn failure_round_trips(message in ".{0,50}") {
        let mut bytes = Vec::new();
        ResponseWriter::new(&mut bytes).failed(crate::Code::Unavailable, &message);
        let failure = ResponseContents::read(&bytes, 0, OUTPUTS).unwrap().unwrap_err();
        prop_assert_eq!(failure, crate::Failure::new(crate::Code::Unavailable, message));
    }

    #[test]
    fn messages_round_trip(batch: u64, one: u32, two: u32, len: usize, last: bool) {
        let region = Region { segment: one, offset: len / 2, len };
        let messages_down = [
            ToWorker::Batch { batch, region, description: len, data: len },
            ToWorker::Cancel { batch, request: one },
            ToWorker::Segment(one),
            ToWorker::Retired(two),
        ];
        for message in messages_down {
            prop_assert_eq!(ToWorker::read(&message.to_message()), Ok(message));
        }
        let response = ResponseMessage {
            batch,
            request: one,
            sequence: two,
            last,
            description: region,
            data: (len / 3, len),
            begun: batch,
        };
        let messages = [ToServer::Response(response), ToServer::Returned { batch }, ToServer::Refused { batch }, ToServer::Segment(one), ToServer::Retired(two)];
        for message in messages {
            prop_assert_eq!(ToServer::read(&message.to_message()), Ok(message));
        }
    }

    #[test]
    fn every_accepted_message_round_trips(words: [u64; 8]) {
        // Every message that was read can be written again, so every field is validated.
        if let Ok(message) = ToWorker::read(&words) {
            prop_assert_eq!(ToWorker::read(&message.to_message()), Ok(message));
        }
        if let Ok(message) = ToServer::read(&words) {
            prop_assert_eq!(ToServer::read(&message.to_message()), Ok(message));
        }
    }

    #[test]
    fn allocations_are_aligned_disjoint_and_never_wrap(lens in vec(prop_oneof![0_usize..1000, any::<usize>()], 0..20)) {
        let mut used = 0_usize;
        for len in lens {
            let before = used;
            match place(&mut used, len) {
                Some(offset) => {
                    prop_assert!(offset >= before && offset % 64 == 0);
                    prop_assert_eq!(used, offset + len);
                }
                None => prop_assert_eq!(used, before),
            }
        }
    }
}
