//! Messages that are requests, and messages that are none.

mod contents;
mod parameters;

use std::collections::BTreeMap;

use crate::model::{InferRequest, ModelSpec};
use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::model_infer_request::InferInputTensor;
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

fn read(message: ModelInferRequest) -> InferRequest {
    let spec = ModelSpec::new(&IDENTITY).unwrap();
    request(message, &spec).unwrap()
}
