use super::args::Settings;
use super::ast::{Callee, LoadedState, Model, Types};
use super::item::Function;
use super::parameters::{Parameters, is_raw};
use super::state::State;
use super::{declared, outputs, pipeline, signature};
use crate::attribute::Helper;
use crate::errors::Errors;
use crate::tensor::check_distinct;

/// Applies every rule and returns the model if none is broken, here or before; otherwise the types that are left to
/// the compiler.
pub(super) fn validate(
    settings: Settings,
    function: Function,
    errors: &mut Errors,
) -> Result<Box<Model>, Option<Box<Types>>> {
    let before = errors.len();
    signature::check(&function, errors);
    // The types of a generic function, or `Self`, mean nothing outside of it.
    let nameable = errors.len() == before;
    let raw = is_raw(&function);
    let helpers = &function.helpers;
    let call = pipeline::call_mode(&settings, helpers, raw, errors);
    let declared = declared::read(raw, helpers, errors);
    let before = errors.len();
    let Parameters {
        mut inputs,
        arguments,
    } = Parameters::read(&settings, call, &function, errors);
    let flawed = errors.len() > before || helpers.iter().any(|found| found.helper == Helper::Input);
    inputs.extend(declared);
    check_distinct("input", inputs.iter().map(|input| &input.name), errors);
    if inputs.is_empty() && settings.batching() && !flawed {
        let name = &function.signature.ident;
        let message = match raw {
            true => {
                "a model with a batch axis needs an input: write `#[input(name = \"INPUT_1\", datatype = FP32, shape = [-1])]` above the function"
            }
            false => {
                "a model with a batch axis needs an input: take an array such as `x: ArrayView2<f32>`, or write `batching = false`"
            }
        };
        errors.push(name, message);
    }
    let before = errors.len();
    let outputs = outputs::read(&settings, raw, &function.signature, helpers, errors);
    let flawed = errors.len() > before;
    let state = match function.state {
        Some(State { ty, load }) => load.map(|load| Some(LoadedState { ty, load })),
        None => Some(None),
    };
    let ((returned, overrides), state) = match (outputs, state) {
        (Some(outputs), Some(state)) if errors.is_empty() => (outputs, state),
        (outputs, _) => {
            let returned = outputs.filter(|_| !flawed).map(|(returned, _)| returned);
            return Err(nameable.then(|| {
                Box::new(Types {
                    root: settings.root,
                    call,
                    inputs,
                    returned,
                })
            }));
        }
    };
    Ok(Box::new(Model {
        settings,
        function: Callee {
            name: function.signature.ident,
            is_async: function.signature.asyncness.is_some(),
            state,
        },
        call,
        inputs,
        arguments,
        returned,
        overrides,
    }))
}
