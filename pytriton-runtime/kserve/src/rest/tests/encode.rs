use bytes::Bytes;
use pytriton_core::testing::fp32;
use pytriton_protocol::tensor::{DataType, Tensor};

use crate::rest::ResponseFormat;

use super::{decode, encode};

#[test]
fn response_has_the_requested_form() {
    let tensor = || Tensor::from_elements(vec![1, 2], vec![0.1_f32, f32::NAN]).unwrap();
    let head = r#"{"model_name":"Identity","model_version":"1","outputs":[{"name":"OUTPUT_1","#;
    let table: &[(&str, &str, &[Bytes])] = &[
        (
            "",
            r#""datatype":"FP32","shape":[1,2],"data":[0.1,NaN]}]}"#,
            &[],
        ),
        (
            r#","parameters":{"binary_data_output":true}"#,
            r#""datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]}"#,
            &[fp32(&[0.1, f32::NAN])],
        ),
        (
            r#","parameters":{"binary_data_output":true},"outputs":[{"name":"OUTPUT_1"}]"#,
            r#""datatype":"FP32","shape":[1,2],"data":[0.1,NaN]}]}"#,
            &[],
        ),
        (
            r#","outputs":[{"name":"OUTPUT_1","parameters":{"classification":1}},{"name":"OUTPUT_1","parameters":{"binary_data":true}}]"#,
            r#""datatype":"BYTES","shape":[1,1],"data":["0.100000:0"]}]}"#,
            &[],
        ),
    ];
    for (members, expected, binary) in table {
        let (_, format) = decode(&format!(r#"{{"inputs":[]{members}}}"#)).unwrap();
        let encoded = encode(&format, tensor()).unwrap();
        assert_eq!(
            String::from_utf8_lossy(encoded.json()),
            format!("{head}{expected}")
        );
        assert!(
            encoded
                .parts()
                .skip(1)
                .eq(binary.iter().map(|part| &part[..]))
        );
        let json_only = binary.is_empty();
        assert_eq!(encoded.header_length().is_none(), json_only);
        assert_eq!(encoded.content_type() == "application/json", json_only);
    }
}

#[test]
fn ids_empty_binary_outputs_and_raw_text_are_written() {
    let (_, format) =
        decode(r#"{"id":"q","inputs":[],"parameters":{"binary_data_output":true}}"#).unwrap();
    let empty = Tensor::from_elements::<f32>(vec![1, 0], vec![]).unwrap();
    let encoded = encode(&format, empty).unwrap();
    assert!(encoded.json().starts_with(br#"{"id":"q","model_name":"#));
    assert!(
        encoded
            .json()
            .ends_with(br#""shape":[1,0],"parameters":{"binary_data_size":0}}]}"#)
    );
    assert_eq!(encoded.content_type(), "application/json");
    let texts = Tensor::from_elements(vec![1, 2], vec![b"a\0".to_vec(), vec![0xff]]).unwrap();
    let encoded = encode(&ResponseFormat::default(), texts).unwrap();
    assert!(
        encoded
            .json()
            .ends_with(b"\"data\":[\"a\\u0000\",\"\xff\"]}]}")
    );
    let half = Tensor::new(DataType::Fp16, vec![1], Bytes::from_static(&[0, 0])).unwrap();
    assert_eq!(
        encode(&ResponseFormat::default(), half)
            .unwrap_err()
            .to_string(),
        "sending FP16 data via JSON is not supported. Please use the binary data format for output"
    );
}
