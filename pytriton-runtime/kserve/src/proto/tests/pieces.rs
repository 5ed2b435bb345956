//! Messages that arrive in pieces, compared with prost.

use std::collections::BTreeMap;

use bytes::Bytes;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use prost::Message;
use prost::encoding::encode_varint;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::model_infer_request::{InferInputTensor, InferRequestedOutputTensor};
use pytriton_protocol::proto::{InferParameter, InferTensorContents, ModelInferRequest};
use pytriton_protocol::tensor::AlignedBuffer;

use crate::proto::Pieces;

/// Decodes a message that is cut into pieces of these sizes, cyclically.
fn read(encoded: &[u8], longest: usize, cuts: &[usize]) -> Result<ModelInferRequest, String> {
    let mut pieces = Pieces::new(longest, MemoryPermit::unlimited());
    let mut cuts = cuts.iter().cycle();
    let mut rest = encoded;
    while !rest.is_empty() {
        let cut = cuts.next().map_or(rest.len(), |cut| rest.len().min(*cut));
        let (piece, behind) = rest.split_at(cut);
        pieces.push(piece).unwrap();
        rest = behind;
    }
    let decoded = pieces.decode();
    decoded
        .map(|(message, _)| message)
        .map_err(|error| error.to_string())
}

/// Checks that both decoders accept the bytes with the same result, or that both refuse them.
fn same(encoded: &[u8], cuts: &[usize]) -> Result<(), TestCaseError> {
    // Encoded, because NaN values are not equal to themselves.
    let bytes = |message: ModelInferRequest| message.encode_to_vec();
    let expected = ModelInferRequest::decode(encoded).ok().map(bytes);
    for longest in [encoded.len(), 64 << 20] {
        prop_assert!(read(encoded, longest, cuts).ok().map(bytes) == expected);
    }
    Ok(())
}

/// Sizes around the one from which contents get their own buffer.
fn contents() -> impl Strategy<Value = Bytes> {
    (
        any::<u8>(),
        prop_oneof![0..40_usize, 4080..4112_usize, 8000..20_000_usize],
    )
        .prop_map(|(byte, length)| Bytes::from(vec![byte; length]))
}

fn parameters() -> impl Strategy<Value = BTreeMap<String, InferParameter>> {
    let choice = option::of(prop_oneof![
        any::<bool>().prop_map(ParameterChoice::BoolParam),
        any::<i64>().prop_map(ParameterChoice::Int64Param),
        any::<String>().prop_map(ParameterChoice::StringParam),
        any::<f64>().prop_map(ParameterChoice::DoubleParam),
        any::<u64>().prop_map(ParameterChoice::Uint64Param),
    ]);
    let parameter = choice.prop_map(|parameter_choice| InferParameter { parameter_choice });
    btree_map(any::<String>(), parameter, 0..3)
}

fn typed() -> impl Strategy<Value = InferTensorContents> {
    (
        vec(any::<bool>(), 0..3),
        vec(any::<i32>(), 0..3),
        vec(any::<f32>(), 0..3),
        vec(contents(), 0..2),
    )
        .prop_map(|(bools, ints, floats, bytes)| InferTensorContents {
            bool_contents: bools,
            int_contents: ints,
            fp32_contents: floats,
            bytes_contents: bytes,
            ..InferTensorContents::default()
        })
}

fn input() -> impl Strategy<Value = InferInputTensor> {
    (
        any::<String>(),
        vec(any::<i64>(), 0..3),
        parameters(),
        option::of(typed()),
    )
        .prop_map(|(name, shape, parameters, contents)| InferInputTensor {
            name,
            datatype: "FP32".to_owned(),
            shape,
            parameters,
            contents,
        })
}

fn message() -> impl Strategy<Value = ModelInferRequest> {
    (
        any::<[String; 3]>(),
        parameters(),
        vec(input(), 0..3),
        vec((any::<String>(), parameters()), 0..2),
        vec(contents(), 0..4),
    )
        .prop_map(|([name, version, id], parameters, inputs, outputs, raw)| {
            let output = |(name, parameters)| InferRequestedOutputTensor { name, parameters };
            ModelInferRequest {
                model_name: name,
                model_version: version,
                id,
                parameters,
                inputs,
                outputs: outputs.into_iter().map(output).collect(),
                raw_input_contents: raw,
            }
        })
}

/// Fields that prost skips, and some that it refuses.
fn odd() -> impl Strategy<Value = Vec<u8>> {
    let field = (0..12_u8, 0..8_u8, vec(any::<u8>(), 0..12))
        .prop_map(|(tag, kind, value)| [vec![tag << 3 | kind], value].concat());
    let known: [&[u8]; 8] = [
        // A varint, eight bytes, four bytes, and a string in an unknown field.
        &[0x48, 0xff, 1],
        &[0x49, 1, 2, 3, 4, 5, 6, 7, 8],
        &[0x4d, 1, 2, 3, 4],
        &[0x4a, 2, 1, 2],
        // A group that contains a field with the number of raw contents.
        &[0x4b, 0x3a, 1, 7, 0x4c],
        // Contents whose key and length are not in the shortest encoding.
        &[0xba, 0x80, 0, 0x81, 0x80, 0, 7],
        &[
            0x3a, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 7,
        ],
        // A varint that is too long.
        &[0xff; 11],
    ];
    prop_oneof![
        2 => proptest::sample::select(known.to_vec()).prop_map(<[u8]>::to_vec),
        1 => field,
    ]
}

fn cuts() -> impl Strategy<Value = Vec<usize>> {
    vec(prop_oneof![1..4_usize, 1..10_000_usize], 1..5)
}

proptest! {
    #[test]
    fn decoded_message_equals_prost(message in message(), cuts in cuts()) {
        let encoded = message.encode_to_vec();
        same(&encoded, &cuts)?;
        prop_assert!(read(&encoded, encoded.len(), &cuts).is_ok());
    }

    #[test]
    fn unknown_fields_and_errors_equal_prost(
        parts in vec(prop_oneof![message().prop_map(|message| message.encode_to_vec()), odd()], 0..6),
        cuts in cuts(),
    ) {
        same(&parts.concat(), &cuts)?;
    }

    #[test]
    fn corrupted_messages_equal_prost(
        message in message(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end in any::<prop::sample::Index>(),
        cuts in cuts(),
    ) {
        let mut encoded = message.encode_to_vec();
        encoded.push(0);
        // Contents are long, so changes concentrate on the bytes before them.
        for (at, byte) in changes {
            let head = encoded.len().min(200);
            encoded[at.index(head)] = byte;
        }
        same(&encoded, &cuts)?;
        encoded.truncate(end.index(encoded.len()));
        same(&encoded, &cuts)?;
    }
}

#[test]
fn large_contents_are_aligned_and_not_decoded_again() {
    let message = ModelInferRequest {
        id: "odd".to_owned(),
        raw_input_contents: [5000, 3, 4099, 1 << 20]
            .map(|len| Bytes::from(vec![1; len]))
            .to_vec(),
        ..ModelInferRequest::default()
    };
    let encoded = message.encode_to_vec();
    let mut pieces = Pieces::new(encoded.len(), MemoryPermit::unlimited());
    encoded
        .chunks(999)
        .for_each(|piece| pieces.push(piece).unwrap());
    assert!(pieces.weight() < 50);
    let (read, _permit) = pieces.decode().unwrap();
    assert_eq!(read, message);
    for contents in read.raw_input_contents.iter().filter(|raw| raw.len() > 3) {
        let place = contents.as_ptr();
        assert_eq!(place.align_offset(AlignedBuffer::ALIGNMENT), 0);
    }
}

#[test]
fn error_texts_equal_prost() {
    let contents = [&[0x3a, 0x88, 0x27][..], &[7; 5000]].concat();
    let mistakes: [&[u8]; 9] = [
        // Truncated in large contents, small ones, a string, a varint, and a group.
        &contents[..4000],
        &[0x3a, 5, 1],
        &[0x0a, 5, 1],
        &[0x48, 0x80],
        &[0x4b, 0x3a, 1],
        // Contents encoded as a varint, an invalid string, an unknown wire type and field.
        &[0x38, 1],
        &[0x0a, 2, 0xff, 0xff],
        &[0x4f],
        &[0x02, 0],
    ];
    for mistake in mistakes {
        for encoded in [mistake.to_vec(), [&contents[..], mistake].concat()] {
            let expected = ModelInferRequest::decode(&encoded[..]).unwrap_err();
            for longest in [encoded.len(), 64 << 20] {
                let got = read(&encoded, longest, &[3, 1000]).unwrap_err();
                assert_eq!(got, expected.to_string(), "{:?}", mistake.get(..9));
            }
        }
    }
}

fn of_input(tensor: InferInputTensor) -> Vec<u8> {
    let message = ModelInferRequest {
        inputs: vec![tensor],
        ..ModelInferRequest::default()
    };
    message.encode_to_vec()
}

fn many(parameters: usize) -> BTreeMap<String, InferParameter> {
    let names = (0..parameters).map(|number| number.to_string());
    names
        .map(|name| (name, InferParameter::default()))
        .collect()
}

type Make = fn(usize) -> Vec<u8>;

/// Messages with this number of fields, each an input, a parameter or a dimension.
const CROWDS: [(&str, Make); 6] = [
    ("inputs", |count| [0x2a, 0].repeat(count)),
    ("behind a group", |count| {
        [&[0x4b, 0x4c][..], &[0x2a, 0].repeat(count - 1)].concat()
    }),
    ("dimensions", |count| {
        of_input(InferInputTensor {
            shape: vec![1; count - 1],
            ..InferInputTensor::default()
        })
    }),
    ("dimensions one by one", |count| {
        let dims = [0x18, 1].repeat(count - 1);
        let mut message = vec![0x2a];
        encode_varint(dims.len() as u64, &mut message);
        [message, dims].concat()
    }),
    ("parameters of an input", |count| {
        of_input(InferInputTensor {
            parameters: many(count - 1),
            ..InferInputTensor::default()
        })
    }),
    ("parameters of an output", |count| {
        let message = ModelInferRequest {
            outputs: vec![InferRequestedOutputTensor {
                parameters: many(count - 1),
                ..InferRequestedOutputTensor::default()
            }],
            ..ModelInferRequest::default()
        };
        message.encode_to_vec()
    }),
];

#[test]
fn message_with_too_many_fields_is_detected_before_decoding() {
    for (what, make) in CROWDS {
        for (fields, crowded) in [(1 << 16, false), ((1 << 16) + 1, true)] {
            let encoded = make(fields);
            let mut pieces = Pieces::new(encoded.len(), MemoryPermit::unlimited());
            pieces.push(&encoded).unwrap();
            assert_eq!(pieces.elements().is_err(), crowded, "{what}");
            assert_eq!(pieces.length(), encoded.len(), "{what}");
        }
    }
}

#[test]
fn size_of_typed_contents_is_known_before_decoding() {
    let contents = InferTensorContents {
        bool_contents: vec![true; 3],
        int_contents: vec![1, -1],
        int64_contents: vec![1, 1 << 40, -1],
        uint_contents: vec![300],
        uint64_contents: vec![1],
        fp32_contents: vec![0.5; 5],
        fp64_contents: vec![0.5],
        bytes_contents: vec![Bytes::new(); 7],
    };
    let encoded = of_input(InferInputTensor {
        contents: Some(contents),
        ..InferInputTensor::default()
    });
    let mut pieces = Pieces::new(encoded.len(), MemoryPermit::unlimited());
    pieces.push(&encoded).unwrap();
    let expected = 3 + 2 * 4 + 3 * 8 + 4 + 8 + 5 * 4 + 8 + 7 * size_of::<Bytes>();
    // Lists grow by doubling and are also encoded, the input is a field, and texts are copied.
    assert_eq!(pieces.elements(), Ok(4 * expected + 640 + encoded.len()));
}
