use bytes::Bytes;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{ParameterValue, Response};
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_protocol::tensor::{DataType, Element, Tensor, encode_bytes_elements};

use crate::generate::GenerateFormat;

use super::{model, tensor};

fn with_outputs(outputs: &[(&str, DataType)]) -> ModelSpec {
    let mut model = model();
    let outputs = outputs.iter();
    model.outputs = outputs
        .map(|(name, datatype)| tensor(name, *datatype, &[-1]))
        .collect();
    model
}

fn write(
    model: &ModelSpec,
    id: &str,
    tensors: Vec<Tensor>,
    parameters: &[(&str, ParameterValue)],
) -> Result<String, String> {
    let mut response = Response::new(
        tensors
            .into_iter()
            .map(TrackedTensor::from)
            .enumerate()
            .collect(),
    );
    for (name, value) in parameters {
        response.parameters.insert(*name, value.clone());
    }
    let permit = MemoryPermit::unlimited();
    let format = GenerateFormat::new(model, id, &permit).unwrap();
    let written = format.write(&response, permit, [b""; 2]);
    let written = written.map_err(|error| error.to_string())?;
    Ok(String::from_utf8(written.to_vec()).unwrap())
}

fn of<T: Element>(shape: &[usize], elements: Vec<T>) -> Tensor {
    Tensor::from_elements(shape.to_vec(), elements).unwrap()
}

fn bytes(elements: &[&[u8]]) -> Tensor {
    let data = encode_bytes_elements(elements.iter().copied()).unwrap();
    Tensor::new(DataType::Bytes, vec![elements.len()], data).unwrap()
}

#[test]
fn members_are_sorted_by_name() {
    let model = with_outputs(&[
        ("OUT", DataType::Bytes),
        ("IDX", DataType::Int32),
        ("zoo", DataType::Bool),
    ]);
    let tensors = || {
        vec![
            bytes(&[b"ok:0"]),
            of(&[1, 1], vec![7_i32]),
            of(&[2], vec![true, false]),
        ]
    };
    let expected = r#"{"IDX":7,"OUT":"ok:0","id":"a1","model_name":"Identity","model_version":"1","zoo":[true,false]}"#;
    assert_eq!(write(&model, "a1", tensors(), &[]).unwrap(), expected);
    let parameters = [
        ("IDX", ParameterValue::String("é\n".to_owned())),
        ("b", ParameterValue::Bool(true)),
        ("model_name", ParameterValue::Int64(0)),
        ("u", ParameterValue::Uint64(u64::MAX)),
        ("zz", ParameterValue::Double(1.5)),
    ];
    let expected = r#"{"IDX":"é\n","OUT":"ok:0","b":true,"model_name":"Identity","model_version":"1","u":18446744073709551615,"zoo":[true,false],"zz":1.5}"#;
    assert_eq!(write(&model, "", tensors(), &parameters).unwrap(), expected);
}

#[test]
fn server_members_take_precedence_over_outputs() {
    let model = with_outputs(&[("id", DataType::Int32), ("model_version", DataType::Int32)]);
    let tensors = || vec![of(&[1], vec![5_i32]), of(&[1], vec![6_i32])];
    let rest = r#""model_name":"Identity","model_version":"1"}"#;
    assert_eq!(
        write(&model, "a", tensors(), &[]).unwrap(),
        format!(r#"{{"id":"a",{rest}"#)
    );
    assert_eq!(
        write(&model, "", tensors(), &[]).unwrap(),
        format!(r#"{{"id":5,{rest}"#)
    );
}

#[test]
fn tensors_are_flat_and_a_single_element_is_bare() {
    let rest = r#""model_name":"Identity","model_version":"1"}"#;
    let table = [
        (of(&[2, 2], vec![1_i32, 2, 3, 4]), "[1,2,3,4]"),
        (of(&[1, 1, 1], vec![-1_i64]), "-1"),
        (of(&[], vec![9_u8]), "9"),
        (of(&[0], Vec::<i32>::new()), "[]"),
        (of(&[3, 0], Vec::<f64>::new()), "[]"),
        (of(&[2], vec![0.1_f32, -0.0]), "[0.1,-0.0]"),
        (of(&[1], vec![1e21_f64]), "1e21"),
        (
            of(&[2], vec![f64::NAN, f64::NEG_INFINITY]),
            "[NaN,-Infinity]",
        ),
        (
            bytes(&["\u{1}\"/é\u{7f}".as_bytes()]),
            "\"\\u0001\\\"/é\u{7f}\"",
        ),
        (bytes(&[b"a", b""]), r#"["a",""]"#),
        (bytes(&[]), "[]"),
    ];
    for (tensor, expected) in table {
        let model = with_outputs(&[("OUT", tensor.datatype())]);
        let expected = format!(r#"{{"OUT":{expected},{rest}"#);
        assert_eq!(write(&model, "", vec![tensor], &[]).unwrap(), expected);
    }
}

#[test]
fn values_without_a_json_form_are_an_error() {
    let model = with_outputs(&[("OUT", DataType::Fp16)]);
    let halves = Tensor::new(DataType::Fp16, vec![1], Bytes::from_static(&[0, 0])).unwrap();
    let table = [
        (
            halves,
            "sending FP16 data via JSON is not supported. Please use the binary data format for output",
        ),
        (
            bytes(&[b"a", b"\xff"]),
            "sending BYTES data that is not UTF-8 via JSON is not supported. Please use the binary data format for output 'OUT'",
        ),
    ];
    for (tensor, expected) in table {
        assert_eq!(write(&model, "", vec![tensor], &[]).unwrap_err(), expected);
    }
}
