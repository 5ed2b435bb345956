#![cfg(not(loom))]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::channel::place;

const INPUTS: usize = 3;
const OUTPUTS: usize = 2;

/// For each request: its id, its outputs, and the bytes of each input it has.
type Requests = Vec<(String, Vec<usize>, Vec<Option<u16>>)>;

fn requests() -> impl Strategy<Value = Requests> {
    let inputs = vec(proptest::option::of(0_u16..300), INPUTS);
    vec((".{0,6}", vec(0..OUTPUTS, 0..3), inputs), 0..6)
}

/// Writes the requests, and returns the description and how many bytes of tensors it speaks of.
fn write(requests: &Requests) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    let mut lens = [0; INPUTS];
    let mut writer = BatchWriter::new(&mut bytes, INPUTS, requests.len());
    for (id, outputs, inputs) in requests {
        writer.request(id, 5);
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
        writer.region(input, Region { offset, len });
    }
    (bytes, data)
}

proptest! {
    #[test]
    fn a_batch_is_read_as_it_was_written(requests in requests()) {
        let (bytes, data) = write(&requests);
        let batch = Batch::read(&bytes, data, INPUTS, OUTPUTS).unwrap();
        prop_assert_eq!(batch.requests.len(), requests.len());
        for (read, (id, outputs, inputs)) in batch.requests.iter().zip(&requests) {
            prop_assert_eq!(read.id, id);
            prop_assert_eq!(&read.outputs, outputs);
            prop_assert_eq!(read.parameters.len(), 4);
            let lens = inputs.iter().enumerate().filter_map(|(input, len)| Some((input, (*len)?)));
            let lens: Vec<_> = lens.map(|(input, len)| (input, usize::from(len))).collect();
            let read: Vec<_> = read.inputs.iter().map(|part| (part.input, part.region.len)).collect();
            prop_assert_eq!(read, lens);
        }
    }

    #[test]
    fn parts_lie_in_their_regions_and_never_on_each_other(requests in requests()) {
        let (bytes, data) = write(&requests);
        let batch = Batch::read(&bytes, data, INPUTS, OUTPUTS).unwrap();
        let parts = batch.requests.iter().flat_map(|request| &request.inputs);
        let mut taken = vec![false; data];
        for part in parts {
            for byte in &mut taken[part.region.offset..part.region.offset + part.region.len] {
                prop_assert!(!std::mem::replace(byte, true));
            }
        }
    }

    #[test]
    fn whatever_is_read_lies_within_the_segment(
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
        if let Ok(batch) = Batch::read(&bytes, data, INPUTS, OUTPUTS) {
            for request in &batch.requests {
                prop_assert!(request.outputs.iter().all(|&output| output < OUTPUTS));
                for part in &request.inputs {
                    prop_assert!(part.input < INPUTS);
                    let end = part.region.offset.checked_add(part.region.len);
                    prop_assert!(end.is_some_and(|end| end <= data));
                }
            }
        }
    }

    #[test]
    fn an_answer_never_leads_out_of_the_segment(bytes in vec(any::<u8>(), 0..200), data in 0_usize..500) {
        let mut reader = AnswerReader::new(&bytes, data, OUTPUTS);
        let mut dims = Vec::new();
        while let Ok(outcome) = reader.outcome() {
            let Outcome::Outputs(outputs) = outcome else { continue };
            for _ in 0..outputs {
                let Ok(part) = reader.output(&mut dims) else { break };
                prop_assert!(part.output < OUTPUTS);
                prop_assert!(part.region.offset + part.region.len <= data);
            }
        }
    }

    #[test]
    fn an_answer_is_read_as_it_was_written(outcomes in vec(proptest::option::of(0_usize..300), 0..6)) {
        let mut bytes = Vec::new();
        let mut writer = AnswerWriter::new(&mut bytes);
        let mut used = 0;
        for outcome in &outcomes {
            let Some(len) = *outcome else {
                writer.failed(crate::Code::Unavailable, "no");
                continue;
            };
            writer.outputs(1);
            let offset = place(&mut used, len).unwrap();
            let part = Part { output: 1, region: Region { offset, len } };
            writer.output(part, [1, -1].into_iter());
        }
        let mut reader = AnswerReader::new(&bytes, used, OUTPUTS);
        let mut dims = Vec::new();
        for outcome in outcomes {
            match (reader.outcome().unwrap(), outcome) {
                (Outcome::Outputs(1), Some(len)) => {
                    prop_assert_eq!(reader.output(&mut dims).unwrap().region.len, len);
                    prop_assert_eq!(&dims, &[1, -1]);
                }
                (Outcome::Failed(failure), None) => prop_assert_eq!(failure.message, "no"),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn places_are_aligned_apart_and_never_wrap(lens in vec(prop_oneof![0_usize..1000, any::<usize>()], 0..20)) {
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
