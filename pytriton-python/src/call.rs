use std::sync::Arc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt};
use pytriton_runtime::model::ModelSpec;
use pytriton_runtime::request::ParameterValue;
use pytriton_runtime::server::Local;

use crate::argument::Arguments;
use crate::borrow_scope::BorrowScope;
use crate::engine::{Engine, engine};
use crate::error::raised;
use crate::form::Form;
use crate::responses::ResponseIterator;
use crate::validation_error::ValidationError;
use crate::wait::wait;

/// A call of a model.
pub(crate) struct Invocation<'a, 'py> {
    pub(crate) spec: &'a Arc<ModelSpec>,
    pub(crate) arguments: Arguments<'py>,
    pub(crate) parameters: Vec<(String, ParameterValue)>,
    pub(crate) form: Form,
}

/// Calls a model. Returns its outputs, or an iterator of them for a streaming model.
pub(crate) fn call<'py>(
    py: Python<'py>,
    invocation: Invocation<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let Invocation {
        spec,
        arguments,
        parameters,
        form,
    } = invocation;
    let scope = BorrowScope::new(spec);
    let inputs = arguments.inputs(spec, &scope)?;
    let request = Local::request(inputs, parameters).map_err(|error| raised(py, &error))?;
    let engine = loaded(py)?;
    let local = &engine.local;
    let model = local.model(&spec.name, Some(spec.version));
    let model = model.map_err(|error| raised(py, &error))?;
    if spec.decoupled {
        let responses = wait(py, local, local.stream_infer(&model, request))?;
        let responses = responses.map_err(|error| raised(py, &error))?;
        let responses = ResponseIterator::new(engine, spec, form, responses);
        return Ok(Bound::new(py, responses)?.into_any());
    }
    match wait(py, local, local.infer(&model, request)) {
        Ok(Ok(response)) => form.outputs(py, spec, response),
        Ok(Err(error)) => {
            scope.ended(py);
            Err(raised(py, &error))
        }
        Err(signal) => {
            scope.ended(py);
            Err(signal)
        }
    }
}

/// Returns the loaded models.
fn loaded(py: Python<'_>) -> PyResult<Arc<Engine>> {
    let engine = py.detach(engine);
    engine.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Calls a model by name, with inputs by name. Returns the outputs as a dict, or an iterator of
/// dicts for a streaming model.
///
/// The default version is the latest. `parameters` are request parameters (bool, int, float or
/// str), including `sequence_id`, `sequence_start`, `sequence_end`, `priority` and `timeout`.
#[pyfunction]
#[pyo3(signature = (model, inputs, *, version=None, parameters=None))]
pub(crate) fn infer<'py>(
    py: Python<'py>,
    model: &str,
    inputs: &Bound<'py, PyDict>,
    version: Option<u32>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let engine = loaded(py)?;
    let found = engine.local.model(model, version);
    let found = found.map_err(|error| raised(py, &error))?;
    let invocation = Invocation {
        spec: found.spec(),
        arguments: Arguments::named(inputs)?,
        parameters: parameters.map_or_else(|| Ok(Vec::new()), values)?,
        form: Form::Dict,
    };
    call(py, invocation)
}

fn values(parameters: &Bound<'_, PyDict>) -> PyResult<Vec<(String, ParameterValue)>> {
    let values = parameters.iter().map(|(name, value)| {
        let name: String = name.extract()?;
        let value = value_of(&name, &value)?;
        Ok((name, value))
    });
    values.collect()
}

fn value_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<ParameterValue> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(ParameterValue::Bool(truth.is_true()));
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(ParameterValue::Int64(number));
    }
    if let Ok(number) = value.extract::<u64>() {
        return Ok(ParameterValue::Uint64(number));
    }
    let parameter = || name.to_owned();
    if value.is_instance_of::<PyInt>() {
        return Err(ValidationError::Integer {
            parameter: parameter(),
            value: value.to_string(),
        }
        .into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(ParameterValue::Double(number));
    }
    let found = || value.get_type().name().map(|name| name.to_string());
    match value.extract::<String>() {
        Ok(text) => Ok(ParameterValue::String(text)),
        Err(_) => Err(ValidationError::Parameter {
            parameter: parameter(),
            found: found()?,
        }
        .into()),
    }
}
