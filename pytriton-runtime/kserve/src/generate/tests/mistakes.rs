use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request::InferRequest;
use pytriton_core::status::Status;
use pytriton_protocol::tensor::DataType;

use crate::generate::decode_generate_request;

use super::{decode, model, tensor};

#[test]
fn the_first_error_is_reported() {
    let json = "failed to parse the request JSON buffer:";
    let shape = "The schema can not convert input";
    let table = [
        ("", format!("{json} EOF while parsing a value at line 1 column 0")),
        (r#"{"int32":"#, format!("{json} EOF while parsing a value at line 1 column 9")),
        (r#"{"int32":1} x"#, format!("{json} trailing characters at line 1 column 13")),
        (r#"{"int32":1,}"#, format!("{json} trailing comma at line 1 column 12")),
        (r#"{"fp32":NaN}"#, format!("{json} expected value at line 1 column 9")),
        ("[]", format!("{json} invalid type: sequence, expected the request to be an object at line 1 column 0")),
        ("5", format!("{json} invalid type: integer `5`, expected the request to be an object at line 1 column 1")),
        (r#"{"id":5}"#, "unable to parse 'id': expected a string, found 5".to_owned()),
        (r#"{"p":null}"#, "parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'.".to_owned()),
        (r#"{"p":[1]}"#, "parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'.".to_owned()),
        (r#"{"p":1e400}"#, "parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'.".to_owned()),
        (r#"{"p":1,"p":1}"#, "member 'p' occurs twice".to_owned()),
        (r#"{"p":1,"parameters":{"p":1}}"#, "Converting keyword: 'parameters': member 'p' occurs twice".to_owned()),
        (r#"{"parameters":{},"parameters":{}}"#, "member 'parameters' occurs twice".to_owned()),
        (r#"{"parameters":5}"#, "unable to parse 'parameters': expected an object, found 5".to_owned()),
        (r#"{"parameters":null}"#, "unable to parse 'parameters': expected an object, found null".to_owned()),
        (
            r#"{"parameters":{"x":{}}}"#,
            "Converting keyword: 'parameters': parameter 'x' has invalid type. It should be either 'int', 'bool', or 'string'.".to_owned(),
        ),
        (r#"{"int32":1,"int32":2}"#, "[request id: <id_unknown>] input 'int32' already exists in request".to_owned()),
        (
            r#"{"int32":1,"parameters":{"int32":2},"id":"a"}"#,
            "Converting keyword: 'parameters': [request id: a] input 'int32' already exists in request".to_owned(),
        ),
        (r#"{"one":[1,2]}"#, format!("{shape} 'one' to tensor with proper shape")),
        (r#"{"one":[]}"#, format!("{shape} 'one' to tensor with proper shape")),
        (r#"{"square":5}"#, format!("{shape} 'square' to tensor with proper shape")),
        (r#"{"square":[1,2,3,4,5,6]}"#, format!("{shape} 'square' to tensor with proper shape")),
        (
            r#"{"fp16":1}"#,
            "receiving FP16 data via JSON is not supported. Please use the binary data format for input fp16".to_owned(),
        ),
        (
            r#"{"int32":[[1,2],[3,4]]}"#,
            "unable to parse 'data' of input 'int32': shape [2] holds 2 elements, found 4".to_owned(),
        ),
    ];
    for (text, expected) in table {
        let error = decode(text).unwrap_err();
        assert_eq!(
            (error.to_string(), error.status()),
            (expected, Status::InvalidArgument),
            "{text}"
        );
    }
}

#[test]
fn element_out_of_range_is_refused_with_the_range() {
    let table = [
        ("bool", "1", "BOOL values"),
        ("uint8", "300", "UINT8 integers from 0 to 255"),
        ("uint8", "-1", "UINT8 integers from 0 to 255"),
        ("int8", "200", "INT8 integers from -128 to 127"),
        (
            "int32",
            "99999999999",
            "INT32 integers from -2147483648 to 2147483647",
        ),
        (
            "int32",
            "1.5",
            "INT32 integers from -2147483648 to 2147483647",
        ),
        (
            "int32",
            "null",
            "INT32 integers from -2147483648 to 2147483647",
        ),
        (
            "uint64",
            "18446744073709551616",
            "UINT64 integers from 0 to 18446744073709551615",
        ),
        ("fp32", "1e39", "FP32 numbers"),
        ("fp64", "true", "FP64 numbers"),
        ("bytes", "5", "BYTES strings"),
    ];
    for (input, element, expected) in table {
        let expected = format!(
            "unable to parse 'data' of input '{input}': expected {expected}, found {element}"
        );
        for text in [
            format!(r#"{{"{input}":{element}}}"#),
            format!(r#"{{"{input}":[{element}]}}"#),
        ] {
            assert_eq!(decode(&text).unwrap_err().to_string(), expected);
        }
    }
    let error = decode(r#"{"int32":{"a":1}}"#).unwrap_err().to_string();
    assert!(error.ends_with(", found an object"), "{error}");
}

#[test]
fn input_named_parameters_replaces_request_parameters() {
    let mut model = model();
    model
        .inputs
        .push(tensor("parameters", DataType::Int32, &[1]));
    let error = decode_generate_request(
        br#"{"parameters":1}"#,
        &model,
        100,
        InferRequest::new(MemoryPermit::unlimited()),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "Keyword 'parameters' for nested schema also given as input tensor name"
    );
}

#[test]
fn request_contents_are_bounded() {
    let nested =
        |depth: usize| format!(r#"{{"int32":{}1{}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert!(decode(&nested(100)).is_ok());
    for depth in [101, 100_000] {
        let error = decode(&nested(depth)).unwrap_err().to_string();
        assert_eq!(
            error,
            "unable to parse 'data' of input 'int32': arrays are nested deeper than 100"
        );
    }
    let members = |count: usize| {
        let members: Vec<String> = (0..count)
            .map(|number| format!(r#""{number}":0"#))
            .collect();
        format!("{{{}}}", members.join(","))
    };
    assert_eq!(decode(&members(65_536)).unwrap().parameters.len(), 65_536);
    let error = decode(&members(65_537)).unwrap_err().to_string();
    assert!(error.contains("more than 65536 members"), "{error}");
    let long = "x".repeat(100_000);
    for text in [
        format!(r#"{{"{long}":null}}"#),
        format!(r#"{{"{long}":1,"{long}":1}}"#),
        format!(r#"{{"id":"{long}","int32":1,"int32":1}}"#),
        format!(r#"{{"parameters":{{"{long}":[]}}}}"#),
        format!(r#"{{"int32":"{long}"}}"#),
        format!(r#"{{"int32":1{}}}"#, long.replace('x', "0")),
        format!("\"{long}\""),
    ] {
        let held = format!("{:?}", decode(&text).unwrap_err()).len();
        assert!(held < 3000, "{held} of {}", &text[..40]);
    }
}
