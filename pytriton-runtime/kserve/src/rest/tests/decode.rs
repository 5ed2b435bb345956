use bytes::Bytes;
use pytriton_core::request::{ParameterValue, SequenceId};
use pytriton_core::shared_memory::Regions;
use pytriton_core::status::Status;
use pytriton_core::testing::fp32;

use crate::CodecError;
use crate::rest::decode_request;

use super::{decode, decode_with, input, model, received};

#[test]
fn request_is_decoded() {
    let text = r#"{"id":"a\"b","parameters":{"timeout":7,"priority":1,"sequence_id":"s","sequence_start":true,
        "beams":-4,"big":18446744073709551615,"warm":true,"heat":0.5,"name":"n\u00e9"},"unknown":[{}],
        "inputs":[{"name":"x","datatype":"FP32","shape":[2,2],"data":[[1,[2.5]],3,[-0]],"extra":1}],
        "outputs":[{"name":"y","parameters":{"binary_data":true,"classification":3,"zzz":1}},{"name":"z"}]}"#;
    let (request, _) = decode(text).unwrap();
    assert_eq!(request.id, "a\"b");
    assert_eq!((request.timeout_microseconds, request.priority), (7, 1));
    let sequence = request.sequence.as_ref().unwrap();
    assert_eq!(*sequence.id(), SequenceId::Text("s".into()));
    assert!(sequence.starts() && !sequence.ends());
    let parameters: Vec<_> = request.parameters.iter().collect();
    assert_eq!(
        parameters,
        [
            ("beams", &ParameterValue::Int64(-4)),
            ("big", &ParameterValue::Double(18446744073709551615.0)),
            ("heat", &ParameterValue::Double(0.5)),
            ("name", &ParameterValue::String("né".to_owned())),
            ("warm", &ParameterValue::Bool(true)),
        ]
    );
    assert_eq!(request.inputs[0].shape, [2, 2]);
    assert_eq!(request.inputs[0].data, fp32(&[1.0, 2.5, 3.0, -0.0]));
    assert_eq!(request.outputs[0].binary, Some(true));
    assert_eq!(request.outputs[0].classification, 3);
    assert_eq!(request.outputs[1].binary, None);
}

#[test]
fn sequence_parameters_are_read() {
    let largest = SequenceId::Number(u64::MAX);
    let table = [
        (r#""a":1"#, None),
        (r#""sequence_id":0"#, None),
        (r#""sequence_id":"""#, None),
        (r#""sequence_id":5"#, Some(SequenceId::Number(5))),
        (r#""sequence_id":18446744073709551615"#, Some(largest)),
        (r#""sequence_id":"5""#, Some(SequenceId::Text("5".into()))),
    ];
    for (id, expected) in table {
        for (start, end) in [(false, false), (true, false), (false, true), (true, true)] {
            let text = format!(
                r#"{{"parameters":{{{id},"sequence_start":{start},"sequence_end":{end}}},"inputs":[]}}"#
            );
            let (request, _) = decode(&text).unwrap();
            let got = request.sequence.map(|sequence| {
                assert_eq!((sequence.starts(), sequence.ends()), (start, end));
                sequence.id().clone()
            });
            assert_eq!(got, expected, "{id}");
        }
    }
    let long = "x".repeat(129);
    let text = format!(r#"{{"parameters":{{"sequence_id":"{long}"}},"inputs":[]}}"#);
    let error = decode(&text).unwrap_err();
    let expected = "string correlation ID cannot be longer than 128 characters";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.status(), Status::Unsupported);
}

#[test]
fn binary_data_is_not_copied() {
    let header = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}},{"name":"y","datatype":"FP32","shape":[0],"parameters":{"binary_data_size":0}},{"name":"z","datatype":"FP32","shape":[2],"parameters":{"binary_data_size":8}}]}"#;
    let body = Bytes::from([header.as_bytes(), &fp32(&[1.0, 2.0, 3.0])].concat());
    let regions = Regions::default();
    let decoded = decode_request(
        received(body.clone()),
        header.len(),
        &model(),
        100,
        &regions,
    );
    let (request, _) = decoded.unwrap();
    let starts: Vec<_> = request
        .inputs
        .iter()
        .map(|input| input.data.as_ptr())
        .collect();
    assert_eq!(starts[0], body[header.len()..].as_ptr());
    assert_eq!(starts[2], body[header.len() + 4..].as_ptr());
    assert_eq!(request.inputs[1].data.len(), 0);
}

#[test]
fn binary_data_size_must_match() {
    let header = input(r#""parameters":{"binary_data_size":8}"#);
    let table: &[(usize, Option<&str>)] = &[
        (8, None),
        (
            5,
            Some(
                "unexpected size for input 'x', expecting 3 additional bytes for model 'Identity'",
            ),
        ),
        (
            9,
            Some("unexpected additional input data for model 'Identity'"),
        ),
    ];
    for (length, expected) in table {
        let got = decode_with(&header, &vec![0; *length])
            .err()
            .map(|error| error.to_string());
        assert_eq!(got.as_deref(), *expected);
    }
    let huge = input(r#""parameters":{"binary_data_size":18446744073709551615}"#);
    assert!(matches!(
        decode_with(&huge, &[0; 5]),
        Err(CodecError::MissingBytes {
            missing: 18_446_744_073_709_551_610,
            ..
        })
    ));
}

#[test]
fn binary_data_without_the_length_of_the_json_is_missing() {
    let header = input(r#""parameters":{"binary_data_size":8}"#);
    let body = Bytes::from([header.as_bytes(), &[0; 8]].concat());
    let (length, regions) = (body.len(), Regions::default());
    let decoded = decode_request(received(body), length, &model(), 100, &regions);
    let error = decoded.unwrap_err();
    assert!(matches!(error, CodecError::MissingBytes { missing: 8, .. }));
    let junk = input(r#""data":[1,2]"#) + "\0";
    assert!(matches!(decode(&junk), Err(CodecError::Json { .. })));
}

#[test]
fn nesting_is_limited_and_never_recursive() {
    for (depth, fits) in [
        (1, true),
        (99, true),
        (100, true),
        (101, false),
        (250_000, false),
    ] {
        let nested = format!("{}1,2{}", "[".repeat(depth), "]".repeat(depth));
        let got = decode(&input(&format!(r#""data":{nested}"#)));
        assert_eq!(got.is_ok(), fits, "{depth}");
        if depth > 1 {
            assert!(decode(&format!(r#"{{"parameters":{{"a":{nested}}}}}"#)).is_err());
            assert!(decode(&format!(r#"{{"inputs":{nested}}}"#)).is_err());
            assert!(decode(&nested).is_err());
            assert!(decode(&"{\"inputs\":[".repeat(depth)).is_err());
        }
    }
}

#[test]
fn empty_batch_is_accepted_by_the_decoder() {
    let text = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[0,4],"data":[1]}]}"#;
    assert!(decode(text).unwrap().0.inputs[0].data.is_empty());
    let text = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[],"data":[1]}]}"#;
    assert!(decode(text).unwrap().0.inputs[0].data.is_empty());
    let text = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1,0],"data":[1]}]}"#;
    assert!(matches!(
        decode(text),
        Err(CodecError::ElementCount {
            expected: 0,
            got: 1,
            ..
        })
    ));
}
