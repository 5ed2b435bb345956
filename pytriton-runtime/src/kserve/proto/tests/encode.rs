//! Messages that are written in pieces, against prost.

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;

use crate::kserve::proto::Encode;
use crate::proto::model_infer_response::InferOutputTensor;
use crate::proto::{ModelInferResponse, ModelStreamInferResponse};

use super::{parameters, string};

fn message() -> impl Strategy<Value = ModelInferResponse> {
    let length = prop_oneof![0..40_usize, 16_370..16_400_usize];
    let contents = (any::<u8>(), length).prop_map(|(byte, length)| Bytes::from(vec![byte; length]));
    let names = any::<[String; 3]>();
    (names, vec(any::<String>(), 0..3), vec(contents, 0..4)).prop_map(
        |([name, version, id], outputs, raw)| ModelInferResponse {
            model_name: name,
            model_version: version,
            parameters: parameters(&[("p", string(&id))]),
            id,
            outputs: outputs
                .into_iter()
                .map(|name| InferOutputTensor {
                    name,
                    shape: vec![1, -1],
                    ..InferOutputTensor::default()
                })
                .collect(),
            raw_output_contents: raw,
        },
    )
}

proptest! {
    #[test]
    fn the_pieces_are_what_prost_writes(
        message in message(),
        error in any::<Option<String>>(),
        answered in any::<bool>(),
    ) {
        let pieces = message.clone().into_pieces(b"first".to_vec());
        prop_assert_eq!(pieces.concat(), [b"first", &message.encode_to_vec()[..]].concat());
        let message = ModelStreamInferResponse {
            error_message: error.unwrap_or_default(),
            infer_response: answered.then_some(message),
        };
        let pieces = message.clone().into_pieces(Vec::new());
        prop_assert_eq!(pieces.concat(), message.encode_to_vec());
    }
}
