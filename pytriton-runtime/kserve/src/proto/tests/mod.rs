//! Valid and invalid messages.

mod contents;
mod parameters;
mod pieces;
mod responses;

use std::collections::BTreeMap;

use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request::InferRequest;
use pytriton_core::shared_memory::Regions;
use pytriton_core::testing::{IDENTITY, fp32};
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::model_infer_request::InferInputTensor;
use pytriton_protocol::proto::{InferParameter, InferTensorContents, ModelInferRequest};

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
    let spec = IDENTITY.spec().unwrap();
    request(
        message,
        &spec,
        &Regions::default(),
        MemoryPermit::unlimited(),
    )
    .unwrap_err()
    .to_string()
}

fn read(message: ModelInferRequest) -> InferRequest {
    let spec = IDENTITY.spec().unwrap();
    request(
        message,
        &spec,
        &Regions::default(),
        MemoryPermit::unlimited(),
    )
    .unwrap()
}

#[test]
fn errors_do_not_contain_whole_inputs() {
    let spec = IDENTITY.spec().unwrap();
    let long = "x".repeat(100_000);
    let named = |input: InferInputTensor| ModelInferRequest {
        id: long.clone(),
        inputs: vec![InferInputTensor {
            name: long.clone(),
            ..input
        }],
        ..ModelInferRequest::default()
    };
    let region = parameters(&[("shared_memory_region", string(&long))]);
    let sized = [
        ("shared_memory_region", string(&long)),
        ("shared_memory_byte_size", ParameterChoice::Int64Param(4)),
    ];
    let contents = InferTensorContents {
        int_contents: vec![1],
        ..InferTensorContents::default()
    };
    let mut unknown = raw();
    unknown.id = long.clone();
    unknown.inputs[0].datatype = long.clone();
    let mut parameter = raw();
    parameter.parameters = parameters(&[(&long, ParameterChoice::Uint64Param(1))]);
    for message in [
        named(input("FP32", None)),
        named(input("FP32", Some(contents))),
        named(InferInputTensor {
            parameters: region,
            ..input("FP32", None)
        }),
        named(InferInputTensor {
            parameters: parameters(&sized),
            ..input("FP32", None)
        }),
        unknown,
        parameter,
    ] {
        let error = request(
            message,
            &spec,
            &Regions::default(),
            MemoryPermit::unlimited(),
        )
        .unwrap_err();
        let held = format!("{error:?}").len();
        assert!(held < 3000, "{held}");
    }
}
