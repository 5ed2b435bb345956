//! Suggestions for a parameter type that is known to be invalid by its name. The traits decide the
//! rest.

use quote::ToTokens;
use syn::{Type, TypeReference};

use crate::array::ArrayType;
use crate::element::{check_element, meant_element};
use crate::errors::Errors;
use crate::output;
use crate::types::{argument_of, named, peeled, present, type_text};

/// Context types, which functions take by reference.
const INJECTED: [&str; 8] = [
    "Parameters",
    "Context",
    "Identity",
    "Cancellation",
    "Sequence",
    "Responses",
    "Call",
    "Arc",
];
const SLICE: &str = "a function borrows all requests of a call: write `&[Request]`";

/// The position of a parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct HintContext {
    /// Whether it is under `#[first_value]`.
    pub(super) first_value: bool,
    /// Whether it is under `#[sequence]`.
    pub(super) state: bool,
    /// Whether the function is under `#[batch]`.
    pub(super) batch: bool,
    /// Whether axis 0 is the batch axis, as far as the options show.
    pub(super) batching: bool,
    /// Whether the function generates text under `#[openai]`.
    pub(super) openai: bool,
}

/// Reports a type that is not a valid parameter.
pub(super) fn check(ty: &Type, context: HintContext, errors: &mut Errors) {
    let wrong = match context.state {
        true => wrong_state(ty),
        false => wrong(ty, context),
    };
    if let Some(message) = wrong {
        errors.push(ty, message);
        return;
    }
    if context.state || context.openai {
        return;
    }
    if let Some(element) = argument_of("Ragged", present(ty)) {
        check_element(element, errors);
    } else if let Some(outputs) = response_type(ty) {
        output::check(outputs, errors);
    } else if !ArrayType::check_element(present(ty), errors) && context.first_value {
        check_element(present(ty), errors);
    }
}

/// Returns whether a type is `&[Request]`, by its name.
pub(super) fn is_requests(ty: &Type) -> bool {
    referred(ty)
        .and_then(element)
        .is_some_and(|ty| is("Request", ty))
}

/// Returns the response type of a `Responses<_>`, by its name.
pub(super) fn response_type(ty: &Type) -> Option<&Type> {
    let each = referred(ty).or_else(|| argument_of("Vec", ty));
    argument_of("Responses", each.unwrap_or(ty))
}

/// Returns the error in the type of a sequence's state.
fn wrong_state(ty: &Type) -> Option<String> {
    let inner = referred(ty).or_else(|| argument_of("Option", ty))?;
    let changes = |ty| matches!(peeled(ty), Type::Reference(outer) if outer.mutability.is_some());
    let each = element(inner);
    let state = each.unwrap_or(inner);
    let right = changes(ty) && each.is_none_or(changes);
    let state = type_text(peeled(referred(state).unwrap_or(state)));
    let message = match each {
        Some(_) => {
            format!("the states of sequences are mutable references: write `&mut [&mut {state}]`")
        }
        None => {
            format!("the state of a sequence is a mutable reference: write `&mut {state}`")
        }
    };
    (!right).then_some(message)
}

fn wrong(ty: &Type, context: HintContext) -> Option<String> {
    match peeled(ty) {
        Type::Reference(reference) => wrong_reference(reference, context),
        ty @ Type::Path(_) => wrong_path(ty, context),
        Type::ImplTrait(_) => Some(
            "a model's function must not be generic: write the type, such as `ArrayView2<f32>`"
                .to_owned(),
        ),
        ty => Some(unknown(ty)),
    }
}

fn wrong_reference(reference: &TypeReference, context: HintContext) -> Option<String> {
    let inner = peeled(&reference.elem);
    let changes = reference.mutability.is_some();
    let text = || type_text(reference);
    let injected = match element(inner) {
        Some(element) if is_reference("Sequence", element) && !changes => return None,
        Some(element) => is("Request", element),
        None => INJECTED.iter().any(|name| is(name, inner)),
    };
    if injected {
        let message = match changes {
            true => format!("arguments are not mutable: write `&{}`", type_text(inner)),
            false => format!("`{}` is not an input: remove `#[first_value]`", text()),
        };
        return (changes || context.first_value).then_some(message);
    }
    if is("Request", inner) {
        return Some(SLICE.to_owned());
    }
    if let Some(array) = ArrayType::parse(inner) {
        let mut view = array.borrowed();
        if let Some(lifetime) = &reference.lifetime {
            view = view.replacen('<', &format!("<{lifetime}, "), 1);
        }
        return Some(format!("an array is passed as a view: write `{view}`"));
    }
    if let (Some(element), false) = (argument_of("Ragged", inner), context.first_value) {
        let element = type_text(element);
        return Some(format!(
            "a `Ragged` is a view and is passed by value: write `Ragged<{element}>`"
        ));
    }
    // An alias may be any type that can be borrowed.
    match inner {
        Type::Path(_) if changes && meant_element(inner).is_none() => Some(format!(
            "`{}` is not an input: write `#[sequence]` before it, if it is the state of the request's sequence",
            text()
        )),
        Type::Path(_) if type_text(inner) != "str" => None,
        Type::Path(_) if context.first_value => {
            Some("a `&str` cannot be an element of a tensor: write `String`".to_owned())
        }
        Type::Path(_) if context.openai => {
            Some("OpenAI functions take owned strings: write `String`".to_owned())
        }
        Type::Path(_) => scalar(inner, context),
        _ => Some(unknown(reference)),
    }
}

fn wrong_path(ty: &Type, context: HintContext) -> Option<String> {
    if ArrayType::parse(ty).is_some() {
        return None;
    }
    if let (Some(element), true) = (argument_of("Ragged", present(ty)), context.first_value) {
        let element = meant_element(element).unwrap_or_else(|| type_text(element));
        let value = match argument_of("Option", ty) {
            Some(_) => format!("Option<{element}>"),
            None => element,
        };
        return Some(format!(
            "`#[first_value]` is one value for the whole batch, but a `Ragged` has a row for each request: remove `#[first_value]`, or take `{value}`"
        ));
    }
    let inner = argument_of("Option", ty);
    let owned = |name: &&&str| is(name, ty) || inner.is_some_and(|ty| is_reference(name, ty));
    if let Some(name) = INJECTED[..5].iter().find(owned) {
        let article = if name.starts_with('I') { "an" } else { "a" };
        return Some(format!(
            "every call has {article} `{name}`, which is borrowed: write `&{name}`"
        ));
    }
    if let Some(outputs) = argument_of("Responses", ty) {
        let outputs = type_text(outputs);
        return Some(format!(
            "a call has one `Responses`: write `&Responses<{outputs}>`"
        ));
    }
    if let Some(model) = argument_of("Call", ty) {
        let model = type_text(model);
        return Some(format!(
            "a function borrows the handle: write `&Call<{model}>`"
        ));
    }
    if let Some(state) = argument_of("Arc", inner.map_or(ty, |ty| referred(ty).unwrap_or(ty))) {
        let state = type_text(state);
        return Some(format!(
            "a function borrows a state that models share: write `&Arc<{state}>`"
        ));
    }
    if is("Request", argument_of("Vec", ty).unwrap_or(ty)) {
        return Some(SLICE.to_owned());
    }
    match inner {
        Some(inner) if argument_of("Option", inner).is_some() => {
            let innermost = std::iter::successors(Some(inner), |ty| argument_of("Option", ty));
            let innermost = type_text(&innermost.last());
            Some(format!(
                "an input can be optional only once: write `Option<{innermost}>`"
            ))
        }
        Some(inner) => wrong(inner, context),
        None if context.first_value || context.openai => None,
        None => scalar(ty, context),
    }
}

/// Returns the suggestion for a scalar.
fn scalar(ty: &Type, context: HintContext) -> Option<String> {
    let element = meant_element(ty)?;
    let text = type_text(ty);
    Some(match (context.batch, context.batching) {
        (true, _) => format!(
            "`{text}` is one value for the whole batch: write `#[first_value]` before it, or take an array such as `ArrayView2<{element}>`"
        ),
        (false, true) => format!("`{text}` is not an array: write `ArrayView2<{element}>`"),
        (false, false) => format!("`{text}` is not an array: write `ArrayView1<{element}>`"),
    })
}

fn is(name: &str, ty: &Type) -> bool {
    named(name, ty).is_some()
}

fn is_reference(name: &str, ty: &Type) -> bool {
    referred(ty).is_some_and(|ty| is(name, ty))
}

/// Returns the target of a reference.
fn referred(ty: &Type) -> Option<&Type> {
    match peeled(ty) {
        Type::Reference(reference) => Some(peeled(&reference.elem)),
        _ => None,
    }
}

/// Returns the element type of a slice.
fn element(ty: &Type) -> Option<&Type> {
    match peeled(ty) {
        Type::Slice(slice) => Some(&slice.elem),
        _ => None,
    }
}

/// Returns the message about an unknown parameter type.
fn unknown(ty: &impl ToTokens) -> String {
    format!(
        "`{}` cannot be a parameter of a model: take an array such as `ArrayView2<f32>`, `&Parameters` or `&Context`",
        type_text(ty)
    )
}
