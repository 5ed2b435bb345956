use proptest::prelude::*;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request::{InferRequest, Response};
use pytriton_protocol::tensor::Tensor;

use crate::generate::{GenerateFormat, decode_generate_request};

use super::{decode, model};

const USUAL: [&str; 4] = [
    r#"{"int32":[1,-2,[3]],"bytes":["a\u00e9","\"b"],"id":"x","p":1.5}"#,
    r#"{"parameters":{"fp32":[1e3,0.5],"q":"text","bool":true},"one":7}"#,
    r#" { "square" : [ 1 , 2 , 3 , 4 ] , "r" : -9223372036854775808 } "#,
    r#"{"uint8":300,"uint8":[],"open":[[],{}],"null":null}"#,
];

/// Parses a JSON object and returns its only member.
fn member(text: &[u8], name: &str) -> serde_json::Value {
    let mut object: serde_json::Value = serde_json::from_slice(text).unwrap();
    object[name].take()
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode_generate_request(&body, &model(), 100, InferRequest::new(MemoryPermit::unlimited()));
    }

    #[test]
    fn damaged_requests_are_read_without_a_panic(
        which in 0..USUAL.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..5),
    ) {
        const LIKELY: &[u8] = b"0123456789.eE+-,:[]{}\" \\aninf_";
        let mut body = USUAL[which].as_bytes().to_vec();
        for (index, byte, kind) in changes {
            let at = index.index(body.len());
            let likely = LIKELY[usize::from(byte) % LIKELY.len()];
            match kind {
                0 => body[at] = byte,
                1 => body[at] = likely,
                2 => body.insert(at, likely),
                _ => drop(body.remove(at)),
            }
        }
        let read = decode_generate_request(&body, &model(), 100, InferRequest::new(MemoryPermit::unlimited()));
        // Everything that is accepted is valid JSON.
        prop_assert!(read.is_err() || serde_json::from_slice::<serde_json::Value>(&body).is_ok());
    }

    #[test]
    fn encoded_values_equal_decoded_ones(numbers in prop::collection::vec(any::<i32>(), 0..20), text in any::<String>()) {
        let given = serde_json::json!({ "int32": numbers, "bytes": text, "id": "x" });
        let request = decode(&given.to_string()).unwrap();
        let mut model = model();
        model.outputs = model.inputs.clone();
        let outputs = request.inputs.into_iter().map(|input| {
            let shape: Vec<_> = input.shape.iter().map(|dim| usize::try_from(*dim).unwrap()).collect();
            let tensor = Tensor::new(input.datatype, shape, input.data).unwrap();
            (model.input_index(&input.name).unwrap(), tensor.into())
        });
        let mut outputs: Vec<_> = outputs.collect();
        outputs.sort_by_key(|(index, _)| *index);
        let written = GenerateFormat::new(&model, &request.id, &request.memory)
            .unwrap()
            .write(
                &Response::new(outputs.into()),
                MemoryPermit::unlimited(),
                [b""; 2],
            )
            .unwrap();
        let expected = match numbers.as_slice() {
            [one] => serde_json::json!(one),
            several => serde_json::json!(several),
        };
        prop_assert_eq!(member(&written, "int32"), expected);
        prop_assert_eq!(member(&written, "bytes"), serde_json::json!(text));
        prop_assert_eq!(member(&written, "id"), serde_json::json!("x"));
    }
}
