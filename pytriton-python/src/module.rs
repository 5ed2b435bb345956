use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use pytriton_runtime::model::ModelSpec;
use pytriton_runtime::registry::Registry;

use crate::argument::Arguments;
use crate::call::{Invocation, call};
use crate::form::Form;
use crate::handle::Handle;
use crate::import_name::import_name;
use crate::stub::stub;
use crate::validation_error::ValidationError;
use crate::{call, error, serve, signature};

/// Adds the library's models to a module: a function for each model, `infer`, `serve`, and the text
/// of its type stub as `__pyi__`.
///
/// # Errors
///
/// Raises `ImportError` if a model or its name is invalid.
pub fn export(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let registry =
        Registry::collect().map_err(|error| PyImportError::new_err(error.to_string()))?;
    // The latest of several versions, as for requests without a version.
    let models: BTreeMap<_, _> = registry.iter().map(|spec| (&spec.name, spec)).collect();
    error::define(module)?;
    module.add_class::<Handle>()?;
    module.add_function(wrap_pyfunction!(call::infer, module)?)?;
    module.add_function(wrap_pyfunction!(serve::serve, module)?)?;
    let mut named = BTreeMap::new();
    let mut functions = Vec::new();
    for spec in models.into_values() {
        let name = identifier(&spec.name);
        let model = spec.name.to_string();
        if let Some(one) = named.insert(name.clone(), model.clone()) {
            let other = model;
            return Err(ValidationError::Twice { one, other, name }.into());
        }
        if module.hasattr(&*name)? {
            return Err(ValidationError::Taken { model, name }.into());
        }
        module.add(&*name, function(module, spec)?)?;
        functions.push((name, spec));
    }
    let functions = functions.iter().map(|(name, spec)| (name.as_str(), *spec));
    module.add("__pyi__", stub(functions))
}

fn function<'py>(
    module: &Bound<'py, PyModule>,
    spec: &Arc<ModelSpec>,
) -> PyResult<Bound<'py, PyCFunction>> {
    let py = module.py();
    let form = Form::new(py, spec)?;
    let model = Arc::clone(spec);
    let run = move |positional: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>| {
        let py = positional.py();
        // Same lifetime as the others.
        let named = named.map(|named| named.clone().unbind().into_bound(py));
        let invocation = Invocation {
            spec: &model,
            arguments: Arguments::of(&model, positional, named.as_ref())?,
            parameters: Vec::new(),
            form: form.clone_ref(py),
        };
        call(py, invocation).map(Bound::unbind)
    };
    let (name, text) = (
        signature::forever(&spec.name),
        signature::forever(&signature::document(spec)),
    );
    let function = PyCFunction::new_closure(py, Some(name), Some(text), run)?;
    function.setattr("__module__", import_name(module)?)?;
    Ok(function)
}

/// Converts a model name to a valid Python identifier.
fn identifier(name: &str) -> String {
    let fits = |c: char| match c.is_alphanumeric() {
        true => c,
        false => '_',
    };
    let name: String = name.chars().map(fits).collect();
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    }
}
