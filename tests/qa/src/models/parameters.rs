//! Models that return the parameters of requests.

use std::collections::BTreeMap;

use pytriton::prelude::*;

/// The names and the values of all parameters, as Python writes them.
fn listed(parameters: &Parameters) -> (Array1<String>, Array1<String>) {
    let text = |value: &ParameterValue| match value {
        ParameterValue::Bool(true) => "True".to_owned(),
        ParameterValue::Bool(false) => "False".to_owned(),
        ParameterValue::Int64(value) => value.to_string(),
        ParameterValue::Double(value) => value.to_string(),
        ParameterValue::String(value) => value.clone(),
        ParameterValue::Uint64(value) => value.to_string(),
    };
    (
        parameters.iter().map(|(name, _)| name.to_owned()).collect(),
        parameters.iter().map(|(_, value)| text(value)).collect(),
    )
}

/// L0_parameters.
#[pytriton::model(name = "parameter", batching = false)]
#[output(name = "key")]
#[output(name = "value")]
fn parameter(
    #[input(name = "INPUT0", shape = [1])] _: ArrayView1<f32>,
    parameters: &Parameters,
) -> (Array1<String>, Array1<String>) {
    listed(parameters)
}

/// L0_parameters: this function replaces an ensemble.
#[pytriton::model(name = "ensemble", batching = false)]
#[output(name = "key")]
#[output(name = "value")]
fn ensemble(
    #[input(name = "INPUT0", shape = [1])] _: ArrayView1<f32>,
    parameters: &Parameters,
) -> (Array1<String>, Array1<String>) {
    listed(parameters)
}

/// L0_grpc: whether the parameters contain the members of the JSON object in the input.
#[pytriton::model(name = "client_plugin_test", batching = false)]
#[output(name = "TEST_SUCCESS", shape = [1])]
fn expected_headers(
    #[input(name = "EXPECTED_HEADERS", shape = [1])] expected: ArrayView1<String>,
    parameters: &Parameters,
) -> Result<Array1<bool>, serde_json::Error> {
    let expected: BTreeMap<String, String> = serde_json::from_str(&expected[0])?;
    let mut members = expected.iter();
    let found = members.all(|(name, value)| parameters.str(name) == Some(value));
    Ok(array![found])
}
