use pytriton_core::status::Status;
use pytriton_protocol::tensor::DataType;

use crate::error::CodecError;

use super::{decode, input};

#[test]
fn invalid_request_is_reported() {
    let json = "failed to parse the request JSON buffer: ";
    let fields = "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But ";
    let table: &[(&str, &str)] = &[
        (
            "",
            &format!("{json}EOF while parsing a value at line 1 column 0"),
        ),
        (
            "{",
            &format!("{json}EOF while parsing an object at line 1 column 1"),
        ),
        (
            "[]",
            &format!(
                "{json}invalid type: sequence, expected the request to be an object at line 1 column 0"
            ),
        ),
        (
            "null",
            &format!(
                "{json}invalid type: null, expected the request to be an object at line 1 column 4"
            ),
        ),
        (
            r#"{"inputs":[]} x"#,
            &format!("{json}trailing characters at line 1 column 15"),
        ),
        (
            r#"{"inputs":[],"inputs":[]}"#,
            &format!("{json}member 'inputs' occurs twice at line 1 column 25"),
        ),
        (
            r#"{"inputs":{}}"#,
            &format!(
                "{json}invalid type: map, expected 'inputs' to be an array at line 1 column 10"
            ),
        ),
        (
            r#"{"inputs":[1]}"#,
            &format!(
                "{json}invalid type: integer `1`, expected an input to be an object at line 1 column 12"
            ),
        ),
        (
            r#"{"inputs":[],"outputs":{}}"#,
            &format!(
                "{json}invalid type: map, expected 'outputs' to be an array at line 1 column 23"
            ),
        ),
        (
            "{}",
            "unable to parse 'inputs': expected an array, found nothing",
        ),
        (
            r#"{"id":42,"inputs":[]}"#,
            "unable to parse 'id': expected a string, found 42",
        ),
        (
            r#"{"id":null,"inputs":[]}"#,
            "unable to parse 'id': expected a string, found null",
        ),
        (
            r#"{"parameters":[1],"inputs":[]}"#,
            "unable to parse 'parameters': expected an object, found an array",
        ),
        (
            r#"{"parameters":{"timeout":-1}}"#,
            "unable to parse 'timeout': expected an unsigned integer, found -1",
        ),
        (
            r#"{"parameters":{"priority":true}}"#,
            "unable to parse 'priority': expected an unsigned integer, found true",
        ),
        (
            r#"{"parameters":{"sequence_id":1.5}}"#,
            "unable to parse 'sequence_id': expected an unsigned integer or a string, found 1.5",
        ),
        (
            r#"{"parameters":{"sequence_end":1}}"#,
            "unable to parse 'sequence_end': expected a boolean, found 1",
        ),
        (
            r#"{"parameters":{"binary_data_output":"a"}}"#,
            "unable to parse 'binary_data_output': expected a boolean, found a string",
        ),
        (
            r#"{"parameters":{"triton_x":1}}"#,
            "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
        ),
        (
            r#"{"parameters":{"a":[1]}}"#,
            "parameter 'a' has invalid type. It should be either 'int', 'bool', or 'string'.",
        ),
        (
            r#"{"parameters":{"a":null}}"#,
            "parameter 'a' has invalid type. It should be either 'int', 'bool', or 'string'.",
        ),
        (
            r#"{"parameters":{"a":1,"a":2}}"#,
            &format!("{json}member 'a' occurs twice at line 1 column 13"),
        ),
        (r#"{"inputs":[{}]}"#, &format!("{fields}no field is set")),
        (
            &input(r#""data":[1,2],"parameters":{"binary_data_size":8}"#),
            &format!("{fields}set 'data' 'binary_data_size'"),
        ),
        (
            &input(r#""parameters":{"shared_memory_region":"r"}"#),
            "Unable to find shared memory region: 'r'",
        ),
        (
            &input(r#""data":[1,2],"parameters":7"#),
            "unable to parse 'parameters' of 'inputs[0]': expected an object, found 7",
        ),
        (
            r#"{"inputs":[{"data":[]}]}"#,
            "unable to parse 'name' of 'inputs[0]': expected a string, found nothing",
        ),
        (
            r#"{"inputs":[{"data":[],"name":3}]}"#,
            "unable to parse 'name' of 'inputs[0]': expected a string, found 3",
        ),
        (
            r#"{"inputs":[{"data":[],"name":"x"}]}"#,
            "unable to parse 'datatype' of input 'x': expected a string, found nothing",
        ),
        (
            r#"{"inputs":[{"data":[],"name":"x","datatype":"FP3"}]}"#,
            "invalid datatype for input x",
        ),
        (
            r#"{"inputs":[{"data":[],"name":"x","datatype":"FP32"}]}"#,
            "unable to parse 'shape' of input 'x': expected an array of unsigned integers, found nothing",
        ),
        (
            r#"{"inputs":[{"data":[],"name":"x","datatype":"FP16","shape":[1]}]}"#,
            "receiving FP16 data via JSON is not supported. Please use the binary data format for input x",
        ),
        (
            r#"{"inputs":[{"data":[],"name":"x","datatype":"BF16","shape":[1]}]}"#,
            "receiving BF16 data via JSON is not supported. Please use the binary data format for input x",
        ),
        (
            &input(r#""data":1.0"#),
            "unable to parse 'data' of input 'x': expected an array, found 1.0",
        ),
        (
            &input(r#""data":[1,"a"]"#),
            "unable to parse 'data' of input 'x': expected FP32 numbers, found a string",
        ),
        (
            &input(r#""data":[1,null]"#),
            "unable to parse 'data' of input 'x': expected FP32 numbers, found null",
        ),
        (
            &input(r#""data":[1,true]"#),
            "unable to parse 'data' of input 'x': expected FP32 numbers, found true",
        ),
        (
            &input(r#""data":[1,{"a":1}]"#),
            "unable to parse 'data' of input 'x': expected FP32 numbers, found an object",
        ),
        (
            &input(r#""data":[1,1e39]"#),
            "unable to parse 'data' of input 'x': expected FP32 numbers, found 1e39",
        ),
        (
            &input(r#""data":[1,1e400]"#),
            "unable to parse 'data' of input 'x': expected FP32 numbers, found 1e400",
        ),
        (
            &input(r#""data":[1,NaN]"#),
            "unable to parse 'data' of input 'x': JSON has no 'NaN', please use the binary data format",
        ),
        (
            &input(r#""data":[-Infinity,1]"#),
            "unable to parse 'data' of input 'x': JSON has no '-Infinity', please use the binary data format",
        ),
        (
            r#"{"inputs":[],"a":NaN}"#,
            &format!("{json}expected value at line 1 column 18"),
        ),
        (
            &input(r#""data":[1]"#),
            "unable to parse 'data' of input 'x': shape [1,2] holds 2 elements, found 1",
        ),
        (
            &input(r#""data":[[1,2],[3]]"#),
            "unable to parse 'data' of input 'x': shape [1,2] holds 2 elements, found 3",
        ),
        (
            &input(r#""data":[1,2],"data":[1,2]"#),
            &format!("{json}member 'data' occurs twice at line 1 column 74"),
        ),
        (
            &input(r#""parameters":{"binary_data_size":"8"}"#),
            "unable to parse 'binary_data_size' of input 'x': expected an unsigned integer, found a string",
        ),
        (
            &input(r#""parameters":{"binary_data_size":-1}"#),
            "unable to parse 'binary_data_size' of input 'x': expected an unsigned integer, found -1",
        ),
        (
            &input(r#""parameters":{"binary_data_size":8}"#),
            "unexpected size for input 'x', expecting 8 additional bytes for model 'Identity'",
        ),
        (
            r#"{"inputs":[],"outputs":[{}]}"#,
            "unable to parse 'name' of 'outputs[0]': expected a string, found nothing",
        ),
        (
            r#"{"inputs":[],"outputs":[{"name":"y","parameters":{"binary_data":1}}]}"#,
            "unable to parse 'binary_data' of output 'y': expected a boolean, found 1",
        ),
        (
            r#"{"inputs":[],"outputs":[{"name":"y","parameters":{"classification":"a"}}]}"#,
            "unable to parse 'classification' of output 'y': expected an unsigned integer, found a string",
        ),
        (
            r#"{"inputs":[],"outputs":[{"name":"OUTPUT_1","parameters":{"shared_memory_region":"r"}}]}"#,
            "Unable to find shared memory region: 'r'",
        ),
    ];
    for (text, expected) in table {
        let error = decode(text).unwrap_err();
        assert_eq!(error.to_string(), *expected, "{text}");
        let status = match error {
            CodecError::SharedMemory { .. } => Status::NotFound,
            _ => Status::InvalidArgument,
        };
        assert_eq!(error.status(), status, "{text}");
    }
}

#[test]
fn invalid_shape_is_reported() {
    let expected =
        "unable to parse 'shape' of input 'x': expected an array of unsigned integers, found ";
    let table = [
        ("4", "4"),
        ("\"x\"", "a string"),
        ("[-1,4]", "-1"),
        ("[1.5]", "1.5"),
        ("[\"a\"]", "a string"),
        ("[[1]]", "an array in it"),
        ("[9223372036854775808]", "9223372036854775808"),
    ];
    for (shape, found) in table {
        let text = format!(
            r#"{{"inputs":[{{"name":"x","datatype":"FP32","shape":{shape},"data":[1]}}]}}"#
        );
        assert_eq!(
            decode(&text).unwrap_err().to_string(),
            format!("{expected}{found}")
        );
    }
    let text =
        r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[4611686018427387904,4],"data":[1]}]}"#;
    let expected = "unable to parse 'data' of input 'x': shape [4611686018427387904,4] has more elements than memory can hold";
    assert_eq!(decode(text).unwrap_err().to_string(), expected);
}

#[test]
fn invalid_element_is_reported() {
    let table = [
        (DataType::Bool, "0", "expected BOOL values, found 0"),
        (
            DataType::Uint8,
            "256",
            "expected UINT8 integers from 0 to 255, found 256",
        ),
        (
            DataType::Uint8,
            "-1",
            "expected UINT8 integers from 0 to 255, found -1",
        ),
        (
            DataType::Uint16,
            "1.5",
            "expected UINT16 integers from 0 to 65535, found 1.5",
        ),
        (
            DataType::Uint32,
            "4294967296",
            "expected UINT32 integers from 0 to 4294967295, found 4294967296",
        ),
        (
            DataType::Uint64,
            "18446744073709551616",
            "expected UINT64 integers from 0 to 18446744073709551615, found 18446744073709551616",
        ),
        (
            DataType::Int8,
            "128",
            "expected INT8 integers from -128 to 127, found 128",
        ),
        (
            DataType::Int16,
            "1e3",
            "expected INT16 integers from -32768 to 32767, found 1e3",
        ),
        (
            DataType::Int32,
            "1.0",
            "expected INT32 integers from -2147483648 to 2147483647, found 1.0",
        ),
        (
            DataType::Int64,
            "9223372036854775808",
            "expected INT64 integers from -9223372036854775808 to 9223372036854775807, found 9223372036854775808",
        ),
        (
            DataType::Fp64,
            "1e400",
            "expected FP64 numbers, found 1e400",
        ),
        (DataType::Bytes, "1", "expected BYTES strings, found 1"),
        (
            DataType::Bytes,
            r#""\ud800""#,
            "expected BYTES strings, found a string that is not valid Unicode",
        ),
    ];
    for (datatype, element, expected) in table {
        let text = format!(
            r#"{{"inputs":[{{"name":"x","datatype":"{datatype}","shape":[1],"data":[{element}]}}]}}"#
        );
        let expected = format!("unable to parse 'data' of input 'x': {expected}");
        assert_eq!(decode(&text).unwrap_err().to_string(), expected);
    }
}
