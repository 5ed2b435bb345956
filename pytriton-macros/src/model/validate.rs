use quote::ToTokens;
use syn::{FnArg, ReturnType, Signature, Type};

use super::ast::Model;
use super::decorations::Decorations;
use super::function::Function;
use super::hint::{HintContext, is_requests, response_type};
use super::lifetime::nameable;
use super::options::ModelOptions;
use super::parameters::Parameter;
use super::streamed::Streamed;
use super::{outputs, signature, streamed};
use crate::decorators::input::Declared;
use crate::decorators::{Inputs, sequence};
use crate::errors::Errors;
use crate::types::{argument_of, type_text};

/// Applies all syntax rules; `None` for a function whose types cannot be named outside of it.
pub(super) fn validate(
    options: &ModelOptions,
    function: Function,
    errors: &mut Errors,
) -> Option<Model> {
    let before = errors.len();
    signature::check(&function, errors);
    // The types of a generic function cannot be named outside of it, and no item can be placed next
    // to a method.
    let nameable_types = errors.len() == before
        || function.signature.generics.type_params().next().is_none()
            && function.signature.generics.const_params().next().is_none()
            && (function.state.is_some() || function.signature.receiver().is_none());
    let raw = takes(&function.signature, is_requests);
    let decorations = Decorations::read(&function.decorations, raw, errors);
    let state = function.state.as_ref().map(|state| &state.ty);
    let context = HintContext {
        first_value: false,
        state: false,
        batch: decorations.batch(),
        openai: decorations.generates_text(),
        batching: options.batching(),
    };
    let signature = &function.signature;
    let inputs = signature.inputs.iter().zip(&function.parameters);
    let parameters = inputs
        .filter_map(|(parameter, found)| Parameter::read(parameter, found, state, context, errors));
    let mut parameters: Vec<Parameter> = parameters.collect();
    if (1..parameters.len()).any(|index| parameters[index].has_name_of(&parameters[..index])) {
        errors.leave();
    }
    let mut roles = function.roles.iter();
    if let Some(role) = roles.find(|role| role.is(&sequence::DECORATOR))
        && let Some(start) = function.state.iter().find_map(|state| state.start.as_ref())
        && !parameters.iter().any(Parameter::is_state)
    {
        let made = argument_of("Result", &start.returned).unwrap_or(&start.returned);
        let made = type_text(made);
        let message = format!(
            "`#[infer]` takes no state: write `#[sequence] state: &mut {made}` there, or remove this"
        );
        errors.push(role, message);
    }
    if !raw {
        decorations.check_batch(errors);
    }
    decorations.fill(&mut parameters, errors);
    let named = parameters.iter().filter_map(Parameter::to_input);
    let named = named.chain(decorations.declared.iter().map(Declared::to_input));
    let named = Inputs(named.collect());
    let steps = decorations.to_steps(&named, errors);
    let cost = decorations.to_cost(&named, errors);
    let warmups = decorations.warmups.iter().enumerate();
    let warmups = warmups.map(|(index, warmup)| {
        let checks = warmup.to_checks(index, &named);
        (warmup.to_tokens(&named, errors), checks)
    });
    let (warmups, warmup_checks) = warmups.unzip();
    let before = errors.len();
    let (streamed, item) = streamed::read(raw, signature, errors).unzip();
    let taken = takes(signature, |ty| response_type(ty).is_some());
    let returned = match taken {
        true => None,
        false => outputs::read(raw, signature, item.as_ref(), &decorations, errors),
    };
    let returned = returned.filter(|_| errors.len() == before);
    let output_bounds = returned
        .as_ref()
        .map_or_else(Vec::new, |returned| outputs::bounds(returned, raw, state));
    let returned = returned.map(|returned| nameable(&returned, state));
    nameable_types.then(|| Model {
        name: signature.ident.clone(),
        is_async: signature.asyncness.is_some(),
        streamed: match taken {
            true => Some(Streamed::Taken),
            false => streamed,
        },
        state: function.state,
        parameters,
        decorations,
        steps,
        cost,
        warmups,
        warmup_checks,
        output_bounds,
        returned,
        shown: match &signature.output {
            ReturnType::Type(_, returned) => returned.to_token_stream(),
            ReturnType::Default => signature.ident.to_token_stream(),
        },
    })
}

/// Returns whether the function has a parameter of this kind, by the name of its type.
fn takes(signature: &Signature, is: fn(&Type) -> bool) -> bool {
    signature.inputs.iter().any(|parameter| match parameter {
        FnArg::Typed(parameter) => is(&parameter.ty),
        FnArg::Receiver(_) => false,
    })
}
