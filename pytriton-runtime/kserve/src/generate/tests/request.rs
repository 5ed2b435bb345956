use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request::{InferRequest, ParameterValue};
use pytriton_protocol::tensor::{DataType, Element, encode_bytes_elements};

use crate::generate::decode_generate_request;

use super::{decode, model, tensor};

/// Returns the names, shapes and bytes of the inputs of a request.
fn inputs(text: &str) -> Vec<(String, Vec<i64>, Vec<u8>)> {
    let request = decode(text).unwrap();
    let inputs = request.inputs.into_iter();
    inputs
        .map(|input| (input.name, input.shape, input.data.to_vec()))
        .collect()
}

fn ints(elements: &[i32]) -> Vec<u8> {
    i32::encode(elements.to_vec()).unwrap().to_vec()
}

fn strings(elements: &[&str]) -> Vec<u8> {
    let elements = elements.iter().map(|element| element.as_bytes());
    encode_bytes_elements(elements).unwrap().to_vec()
}

#[test]
fn members_with_the_name_of_an_input_are_tensors() {
    let table: [(&str, &str, &[i64], Vec<u8>); 16] = [
        (r#"{"int32":5}"#, "int32", &[1], ints(&[5])),
        (r#"{"int32":[1,2,3]}"#, "int32", &[3], ints(&[1, 2, 3])),
        (r#"{"int32":[]}"#, "int32", &[0], vec![]),
        (r#"{"int32":[[1],[2]]}"#, "int32", &[2], ints(&[1, 2])),
        (r#"{"one":[-7]}"#, "one", &[1], ints(&[-7])),
        (r#"{"open":[1,2,3]}"#, "open", &[1, 3], ints(&[1, 2, 3])),
        (
            r#"{"square":[1,2,3,4]}"#,
            "square",
            &[1, 2, 2],
            ints(&[1, 2, 3, 4]),
        ),
        (r#"{"bytes":"x"}"#, "bytes", &[1], strings(&["x"])),
        (r#"{"bytes":""}"#, "bytes", &[1], strings(&[""])),
        (r#"{"bytes":[]}"#, "bytes", &[0], vec![]),
        (
            r#"{"bytes":"\u00e9\u0000x"}"#,
            "bytes",
            &[1],
            strings(&["é\0x"]),
        ),
        (
            r#"{"bytes":["a",["b"]]}"#,
            "bytes",
            &[2],
            strings(&["a", "b"]),
        ),
        (r#"{"bool":[true,false]}"#, "bool", &[2], vec![1, 0]),
        (r#"{"uint8":255}"#, "uint8", &[1], vec![255]),
        (
            r#"{"fp32":1}"#,
            "fp32",
            &[1],
            f32::encode(vec![1.0]).unwrap().to_vec(),
        ),
        (r#"{"parameters":{"int8":[-1]}}"#, "int8", &[1], vec![255]),
    ];
    for (text, name, shape, data) in table {
        let expected = (name.to_owned(), shape.to_vec(), data);
        assert_eq!(inputs(text), [expected], "{text}");
    }
    assert_eq!(
        inputs(r#"{"uint8":1,"parameters":{"int8":2},"bool":true}"#).len(),
        3
    );
}

#[test]
fn batch_axis_is_a_dynamic_dimension() {
    let mut model = model();
    model.max_batch_size = 8;
    model.inputs = vec![tensor("x", DataType::Int32, &[1])];
    for (text, shape) in [
        (r#"{"x":1}"#, [1, 1]),
        (r#"{"x":[1,2]}"#, [2, 1]),
        (r#"{"x":[]}"#, [0, 1]),
    ] {
        let request = decode_generate_request(
            text.as_bytes(),
            &model,
            100,
            InferRequest::new(MemoryPermit::unlimited()),
        )
        .unwrap();
        assert_eq!(request.inputs[0].shape, shape, "{text}");
    }
}

#[test]
fn other_members_are_parameters() {
    let text = r#"{"s":"é","i":-3,"b":false,"d":1.5,"big":18446744073709551615,"":0,
        "priority":3,"timeout":9,"sequence_id":5,"triton_x":1,"binary_data_output":true,
        "parameters":{"n":1e2,"parameters":"inner"}}"#;
    let request = decode(text).unwrap();
    let text = |text: &str| ParameterValue::String(text.to_owned());
    let table = [
        ("s", text("é")),
        ("i", ParameterValue::Int64(-3)),
        ("b", ParameterValue::Bool(false)),
        ("d", ParameterValue::Double(1.5)),
        ("big", ParameterValue::Double(18_446_744_073_709_552_000.0)),
        ("", ParameterValue::Int64(0)),
        ("priority", ParameterValue::Int64(3)),
        ("timeout", ParameterValue::Int64(9)),
        ("sequence_id", ParameterValue::Int64(5)),
        ("triton_x", ParameterValue::Int64(1)),
        ("binary_data_output", ParameterValue::Bool(true)),
        ("n", ParameterValue::Double(100.0)),
        ("parameters", text("inner")),
    ];
    for (name, expected) in &table {
        assert_eq!(request.parameters.get(name), Some(expected), "{name}");
    }
    assert_eq!(request.parameters.len(), table.len());
    let effect = (request.priority, request.timeout_microseconds);
    assert_eq!((effect, request.id.as_str()), ((0, 0), ""));
}

#[test]
fn id_is_also_a_parameter() {
    let request = decode(r#"{"int32":1,"id":"a\"b"}"#).unwrap();
    assert_eq!(request.id, "a\"b");
    assert_eq!(request.parameters.str("id"), Some("a\"b"));
    let request = decode(r#"{"int32":1,"parameters":{"id":5}}"#).unwrap();
    assert_eq!(
        (request.id.as_str(), request.parameters.int("id")),
        ("", Some(5))
    );
    assert!(decode("{}").unwrap().inputs.is_empty());
    assert!(decode("\u{feff} {} ").is_ok());
}
