//! Responses that are encoded without a message type, compared with prost.

use std::sync::Arc;

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;
use pytriton_core::memory_budget::{MemoryBudget, MemoryPermit};
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{ParameterValue, RequestedOutput, Response};
use pytriton_core::testing::IDENTITY;
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::model_infer_response::InferOutputTensor;
use pytriton_protocol::proto::{ModelInferResponse, ModelStreamInferResponse};
use pytriton_protocol::tensor::{DataType, Tensor};

use crate::error::CodecError;
use crate::proto::{Envelope, FINAL, ResponseWriter};

use super::{parameters, string};

/// A model with this number of outputs.
fn spec(outputs: usize) -> ModelSpec {
    let mut spec = IDENTITY.spec().unwrap();
    let mut output = spec.outputs[0].clone();
    output.datatype = DataType::Uint8;
    spec.outputs = (0..outputs)
        .map(|number| {
            output.name = Arc::from(format!("O{number}"));
            output.clone()
        })
        .collect();
    spec
}

fn buffer() -> TrackedBuffer {
    TrackedBuffer::new(MemoryPermit::unlimited())
}

/// Bytes in various shapes, with sizes around the one that makes a separate piece.
fn tensor() -> impl Strategy<Value = Tensor> {
    let length = prop_oneof![0..40_usize, 16_370..16_400_usize];
    (any::<u8>(), length, 0..3_usize).prop_map(|(byte, length, ones)| {
        let shape: Vec<usize> = [length].into_iter().chain(vec![1; ones]).collect();
        Tensor::new(DataType::Uint8, shape, Bytes::from(vec![byte; length])).unwrap()
    })
}

fn message(spec: &ModelSpec, id: &str, tensors: &[Tensor]) -> ModelInferResponse {
    let output = |(number, tensor): (usize, &Tensor)| InferOutputTensor {
        name: format!("O{number}"),
        datatype: "UINT8".to_owned(),
        shape: tensor.shape().iter().map(|&dim| dim as i64).collect(),
        ..InferOutputTensor::default()
    };
    ModelInferResponse {
        model_name: spec.name.to_string(),
        model_version: "1".to_owned(),
        id: id.to_owned(),
        outputs: tensors.iter().enumerate().map(output).collect(),
        raw_output_contents: tensors.iter().map(|tensor| tensor.data().clone()).collect(),
        ..ModelInferResponse::default()
    }
}

proptest! {
    #[test]
    fn encoded_responses_equal_prost(
        id in any::<String>(),
        tensors in vec(tensor(), 0..4),
        said in any::<Option<String>>(),
        last in any::<Option<bool>>(),
        free in 0..8_usize,
    ) {
        let spec = spec(tensors.len());
        let writer = ResponseWriter::new(&spec, &id, &[], None, &MemoryBudget::new(usize::MAX)).unwrap();
        let outputs = tensors.iter().cloned().map(TrackedTensor::from).enumerate();
        let mut response = Response::new(outputs.collect());
        let mut expected = message(&spec, &id, &tensors);
        if let Some(said) = said {
            response.parameters.insert("said", ParameterValue::String(said.clone()));
            expected.parameters = parameters(&[("said", string(&said))]);
        }
        let (envelope, expected) = match last {
            None => (Envelope::None, expected.encode_to_vec()),
            Some(last) => {
                let mark = parameters(&[(FINAL, ParameterChoice::BoolParam(last))]);
                expected.parameters.extend(mark);
                let expected = ModelStreamInferResponse {
                    infer_response: Some(expected),
                    ..ModelStreamInferResponse::default()
                };
                (Envelope::Stream { last }, expected.encode_to_vec())
            }
        };
        let mut first = buffer();
        first.extend_from_slice(b"before").unwrap();
        let written = writer.write(response, envelope, free, &mut first).unwrap();
        let (before, first) = first.as_slice().split_at(6);
        prop_assert_eq!(before, b"before");
        let (left, first) = first.split_at(free);
        prop_assert!(left.iter().all(|&byte| byte == 0));
        prop_assert_eq!(written.length, expected.len());
        prop_assert_eq!([first, &written.others.iter().flat_map(|piece| piece.to_vec()).collect::<Vec<_>>()].concat(), expected);
    }
}

#[test]
fn large_contents_are_not_copied() {
    let spec = spec(2);
    let data = Bytes::from(vec![7; 1 << 20]);
    let tensor = Tensor::new(DataType::Uint8, vec![1 << 20], data.clone()).unwrap();
    let response = Response::new((0..2).map(|index| (index, tensor.clone().into())).collect());
    let writer = ResponseWriter::new(&spec, "", &[], None, &MemoryBudget::new(usize::MAX)).unwrap();
    let written = writer.write(response, Envelope::None, 0, &mut buffer());
    let written = written.unwrap();
    assert_eq!(written.others.len(), 3);
    assert_eq!(written.others[0].as_ptr(), data.as_ptr());
    assert_eq!(written.others[2].as_ptr(), data.as_ptr());
}

#[test]
fn a_classified_output_is_bytes() {
    let spec = spec(1);
    let requested = |classification| RequestedOutput {
        name: "O0".to_owned(),
        binary: None,
        classification,
    };
    let tensor = Tensor::from_elements(vec![1, 3], vec![1_u8, 3, 2]).unwrap();
    for (mentions, expected) in [
        (vec![0], ("UINT8", vec![1, 3])),
        (vec![0, 2, 1], ("BYTES", vec![1, 2])),
    ] {
        let mentions: Vec<_> = mentions.into_iter().map(requested).collect();
        let writer =
            ResponseWriter::new(&spec, "", &mentions, None, &MemoryBudget::new(usize::MAX))
                .unwrap();
        let response = Response::new([(0, tensor.clone().into())].into_iter().collect());
        let mut message = buffer();
        let written = writer.write(response, Envelope::None, 0, &mut message);
        assert!(written.unwrap().others.is_empty());
        let message = ModelInferResponse::decode(message.as_slice()).unwrap();
        let output = &message.outputs[0];
        assert_eq!((&*output.datatype, output.shape.clone()), expected);
    }
}

#[test]
fn everything_copied_to_a_message_is_reserved_until_it_is_sent() {
    const KIB: usize = 1 << 10;
    let spec = spec(3);
    // Small contents before and after large ones.
    let tensors = [8 * KIB, 64 * KIB, 8 * KIB];
    let respond = |budget: &Arc<MemoryBudget>, said: usize| {
        let tensor = |(index, length): (usize, usize)| {
            let data = Bytes::from(vec![7; length]);
            let tensor = Tensor::new(DataType::Uint8, vec![length], data).unwrap();
            (index, tensor.into())
        };
        let mut response = Response::new(tensors.into_iter().enumerate().map(tensor).collect());
        let value = ParameterValue::String("x".repeat(said));
        response.parameters.insert("said", value);
        let writer = ResponseWriter::new(&spec, "", &[], None, budget).unwrap();
        let mut first = TrackedBuffer::new(writer.empty_permit());
        let written = writer.write(response, Envelope::None, 0, &mut first);
        written.map(|written| (first, written))
    };
    for said in [0, 100, 32 * KIB] {
        let budget = MemoryBudget::new(1 << 20);
        let (first, written) = respond(&budget, said).unwrap();
        let others: usize = written.others.iter().map(|piece| piece.len()).sum();
        let copied = first.as_slice().len() + others - 64 * KIB;
        assert!(
            copied > 16 * KIB + said && budget.reserved() >= copied,
            "{said}"
        );
        drop(first);
        assert!(budget.reserved() >= 8 * KIB, "the tail is not sent");
        drop(written);
        assert_eq!(budget.reserved(), 0);
        let error = respond(&MemoryBudget::new(copied - 1), said).unwrap_err();
        assert!(matches!(error, CodecError::Budget(_)), "{error}");
    }
}

#[test]
fn the_id_is_reserved_while_responses_may_repeat_it() {
    const KIB: usize = 1 << 10;

    let (spec, budget) = (spec(1), MemoryBudget::new(64 * KIB));
    let new = |length: usize| ResponseWriter::new(&spec, &"x".repeat(length), &[], None, &budget);
    let writer = new(40 * KIB).unwrap();
    assert!(budget.reserved() >= 40 * KIB);
    new(30 * KIB).unwrap_err();
    // Small IDs are not counted.
    new(KIB).unwrap();
    drop(writer);
    assert_eq!(budget.reserved(), 0);
}
