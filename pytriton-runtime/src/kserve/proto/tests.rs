use std::collections::BTreeMap;

use bytes::Bytes;

use crate::model::{ModelSpec, ParameterValue};
use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::model_infer_request::{InferInputTensor, InferRequestedOutputTensor};
use crate::proto::{InferParameter, InferTensorContents, ModelInferRequest};
use crate::testing::{IDENTITY, fp32};

use super::request;

fn parameters(table: &[(&str, ParameterChoice)]) -> BTreeMap<String, InferParameter> {
    let parameter = |(name, choice): &(&str, ParameterChoice)| {
        let parameter_choice = Some(choice.clone());
        ((*name).to_owned(), InferParameter { parameter_choice })
    };
    table.iter().map(parameter).collect()
}

fn string(value: &str) -> ParameterChoice {
    ParameterChoice::StringParam(value.to_owned())
}

fn input(datatype: &str, contents: Option<InferTensorContents>) -> InferInputTensor {
    InferInputTensor {
        name: "INPUT_1".to_owned(),
        datatype: datatype.to_owned(),
        shape: vec![1, 2],
        contents,
        ..InferInputTensor::default()
    }
}

fn raw() -> ModelInferRequest {
    ModelInferRequest {
        inputs: vec![input("FP32", None)],
        raw_input_contents: vec![fp32(&[1.0, 2.0])],
        ..ModelInferRequest::default()
    }
}

fn typed(datatype: &str, contents: InferTensorContents) -> ModelInferRequest {
    ModelInferRequest {
        inputs: vec![input(datatype, Some(contents))],
        ..ModelInferRequest::default()
    }
}

fn refused(message: ModelInferRequest) -> String {
    let spec = ModelSpec::new(&IDENTITY).unwrap();
    request(message, &spec).unwrap_err().to_string()
}

fn read(message: ModelInferRequest) -> crate::model::InferRequest {
    let spec = ModelSpec::new(&IDENTITY).unwrap();
    request(message, &spec).unwrap()
}

#[test]
fn raw_contents_are_shared_and_belong_to_the_inputs_in_their_order() {
    let message = raw();
    let place = message.raw_input_contents[0].as_ptr();
    assert_eq!(read(message).inputs[0].data.as_ptr(), place);

    let mut message = raw();
    message.inputs.push(input("INT8", None));
    message.raw_input_contents.push(Bytes::from_static(b"ab"));
    message
        .raw_input_contents
        .push(Bytes::from_static(b"one too many, as in Triton"));
    assert_eq!(&read(message).inputs[1].data[..], b"ab");
}

#[test]
fn typed_contents_become_the_bytes_of_their_element_type() {
    type Contents = InferTensorContents;
    let bytes = |elements: &[&'static [u8]]| {
        elements
            .iter()
            .map(|element| Bytes::from_static(element))
            .collect()
    };
    let table: Vec<(&str, Contents, &[u8])> = vec![
        (
            "BOOL",
            Contents {
                bool_contents: vec![true, false],
                ..Contents::default()
            },
            &[1, 0],
        ),
        (
            "INT8",
            Contents {
                int_contents: vec![-1, 300],
                ..Contents::default()
            },
            &[255, 44],
        ),
        (
            "INT16",
            Contents {
                int_contents: vec![-1, 2],
                ..Contents::default()
            },
            &[255, 255, 2, 0],
        ),
        (
            "INT32",
            Contents {
                int_contents: vec![1],
                ..Contents::default()
            },
            &[1, 0, 0, 0],
        ),
        (
            "INT64",
            Contents {
                int64_contents: vec![1],
                ..Contents::default()
            },
            &[1, 0, 0, 0, 0, 0, 0, 0],
        ),
        (
            "UINT8",
            Contents {
                uint_contents: vec![1, 300],
                ..Contents::default()
            },
            &[1, 44],
        ),
        (
            "UINT16",
            Contents {
                uint_contents: vec![70000],
                ..Contents::default()
            },
            &[112, 17],
        ),
        (
            "UINT32",
            Contents {
                uint_contents: vec![1],
                ..Contents::default()
            },
            &[1, 0, 0, 0],
        ),
        (
            "UINT64",
            Contents {
                uint64_contents: vec![2],
                ..Contents::default()
            },
            &[2, 0, 0, 0, 0, 0, 0, 0],
        ),
        (
            "FP32",
            Contents {
                fp32_contents: vec![1.0],
                ..Contents::default()
            },
            &[0, 0, 128, 63],
        ),
        (
            "FP64",
            Contents {
                fp64_contents: vec![1.0],
                ..Contents::default()
            },
            &[0, 0, 0, 0, 0, 0, 240, 63],
        ),
        (
            "BYTES",
            Contents {
                bytes_contents: bytes(&[b"", b"a"]),
                ..Contents::default()
            },
            &[0, 0, 0, 0, 1, 0, 0, 0, b'a'],
        ),
        ("FP16", Contents::default(), &[]),
    ];
    for (datatype, contents, expected) in table {
        assert_eq!(
            &read(typed(datatype, contents)).inputs[0].data[..],
            expected,
            "{datatype}"
        );
    }
}

#[test]
fn contents_that_are_none_are_refused_in_tritons_words() {
    let two = || InferTensorContents {
        fp32_contents: vec![1.0, 2.0],
        ..InferTensorContents::default()
    };
    let mut mixed = typed("FP32", two());
    mixed.raw_input_contents = vec![Bytes::new()];
    let mut missing = raw();
    missing.raw_input_contents.clear();
    let twice = InferTensorContents {
        fp64_contents: vec![1.0],
        ..two()
    };
    let table = [
        (
            mixed,
            "contents field must not be specified when using raw_input_contents for 'INPUT_1' for model 'Identity'",
        ),
        (
            missing,
            "unable to find data for input tensor 'INPUT_1' for model 'Identity' in request.",
        ),
        (
            typed("FP32", twice),
            "unexpected explicit tensor data for input tensor 'INPUT_1' for model 'Identity', binary data was already supplied.",
        ),
        (
            typed("FP16", two()),
            "unexpected explicit tensor data for input tensor 'INPUT_1' for model 'Identity' of type 'FP32', expected datatype 'FP16'",
        ),
        (
            typed("FP31", two()),
            "unexpected explicit tensor data for input tensor 'INPUT_1' for model 'Identity' of type 'FP32', expected datatype '<invalid>'",
        ),
        (
            ModelInferRequest {
                inputs: vec![input("fp32", None)],
                ..raw()
            },
            "[request id: <id_unknown>] inference input 'INPUT_1' data-type is '<invalid>', but model 'Identity' expects 'FP32'",
        ),
    ];
    for (message, expected) in table {
        assert_eq!(refused(message), expected);
    }
}

#[test]
fn parameters_are_handed_on_but_for_those_that_the_server_reads() {
    use ParameterChoice::{BoolParam, DoubleParam, Int64Param, Uint64Param};
    let message = ModelInferRequest {
        parameters: parameters(&[
            ("beams", Int64Param(4)),
            ("greedy", BoolParam(true)),
            ("heat", DoubleParam(0.5)),
            ("user", string("x")),
            ("priority", Uint64Param(1)),
            ("sequence_id", string("s")),
            ("sequence_start", BoolParam(true)),
            ("sequence_end", BoolParam(false)),
            ("timeout", Int64Param(7)),
            ("triton_enable_empty_final_response", BoolParam(true)),
        ]),
        ..raw()
    };
    let request = read(message);
    assert_eq!(request.timeout_microseconds, 7);
    let parameters: Vec<_> = request.parameters.iter().collect();
    let expected = [
        ("beams", &ParameterValue::Int64(4)),
        ("greedy", &ParameterValue::Bool(true)),
        ("heat", &ParameterValue::Double(0.5)),
        ("user", &ParameterValue::String("x".to_owned())),
    ];
    assert_eq!(parameters, expected);
}

#[test]
fn parameters_of_the_wrong_type_are_refused_in_tritons_words() {
    use ParameterChoice::{BoolParam, DoubleParam, Int64Param, Uint64Param};
    let table = [
        (
            "sequence_id",
            BoolParam(true),
            "invalid value type for 'sequence_id' parameter, expected int64_param or string_param.",
        ),
        (
            "sequence_start",
            Int64Param(1),
            "invalid value type for 'sequence_start' parameter, expected bool_param.",
        ),
        (
            "sequence_end",
            string("x"),
            "invalid value type for 'sequence_end' parameter, expected bool_param.",
        ),
        (
            "priority",
            DoubleParam(1.5),
            "invalid value type for 'priority' parameter, expected int64_param or uint64_param.",
        ),
        (
            "priority",
            Int64Param(-1),
            "invalid value for 'priority', expected value >= 0.",
        ),
        (
            "timeout",
            Uint64Param(3),
            "invalid value type for 'timeout' parameter, expected int64_param.",
        ),
        (
            "triton_x",
            Int64Param(1),
            "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response",
        ),
        (
            "triton_enable_empty_final_response",
            Int64Param(1),
            "invalid value type for 'triton_enable_empty_final_response' parameter, expected bool_param.",
        ),
        (
            "u",
            Uint64Param(3),
            "invalid value type for 'u' parameter, expected int64_param, bool_param, or string_param.",
        ),
    ];
    for (name, choice, expected) in table {
        let parameters = parameters(&[(name, choice)]);
        assert_eq!(
            refused(ModelInferRequest {
                parameters,
                ..raw()
            }),
            expected
        );
    }
}

#[test]
fn shared_memory_and_classes_are_refused_in_tritons_words() {
    use ParameterChoice::Int64Param;
    let region = ("shared_memory_region", string("r"));
    let size = ("shared_memory_byte_size", Int64Param(8));
    let classes = |count| ("classification", Int64Param(count));
    let table = [
        (
            vec![region.clone()],
            "'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor 'OUTPUT_1'",
        ),
        (
            vec![region.clone(), size.clone()],
            "Unable to find shared memory region: 'r'",
        ),
        (
            vec![size.clone()],
            "'shared_memory_byte_size' can not be specified without 'shared_memory_region' parameter for tensor 'OUTPUT_1'",
        ),
        (
            vec![("shared_memory_offset", Int64Param(1))],
            "'shared_memory_offset' can not be specified without 'shared_memory_region' parameter for tensor 'OUTPUT_1'",
        ),
        (
            vec![("shared_memory_region", Int64Param(1))],
            "invalid value type for 'shared_memory_region' parameter for tensor 'OUTPUT_1', expected string_param.",
        ),
        (
            vec![region.clone(), ("shared_memory_byte_size", string("x"))],
            "invalid value type for 'shared_memory_byte_size' parameter for tensor 'OUTPUT_1', expected int64_param.",
        ),
        (
            vec![region, size, classes(1)],
            "output can't set both 'shared_memory_region' and 'classification'",
        ),
        (
            vec![classes(0)],
            "invalid value for 'classification' parameter, expected >= 0",
        ),
        (
            vec![("classification", string("x"))],
            "invalid value type for 'classification' parameter, expected int64_param",
        ),
    ];
    for (table, expected) in table {
        let output = InferRequestedOutputTensor {
            name: "OUTPUT_1".to_owned(),
            parameters: parameters(&table),
        };
        assert_eq!(
            refused(ModelInferRequest {
                outputs: vec![output],
                ..raw()
            }),
            expected
        );
    }
}
