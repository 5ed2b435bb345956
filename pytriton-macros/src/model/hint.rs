//! What to write instead of a parameter's type that is surely none by its name. Whatever is not sure is left to the traits.

use quote::ToTokens;
use syn::{Type, TypeReference};

use crate::array::ArrayType;
use crate::element::{check_element, meant_element};
use crate::errors::Errors;
use crate::output;
use crate::types::{argument_of, last_segment, peeled, type_text};

/// What a call has of its own, and a function borrows.
const INJECTED: [&str; 5] = [
    "Parameters",
    "Context",
    "Cancellation",
    "Sequence",
    "Responses",
];
const SLICE: &str = "requests are borrowed, and all of them: write `&[Request]`";

/// Where a parameter stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// Whether it is under `#[first_value]`.
    pub(super) first_value: bool,
    /// Whether it is under `#[sequence]`.
    pub(super) state: bool,
    /// Whether the function is under `#[batch]`.
    pub(super) batch: bool,
    /// Whether axis 0 is the batch, as far as the options tell.
    pub(super) batching: bool,
    /// Whether the function is under `#[openai]`.
    pub(super) openai: bool,
}

/// Reports a type that can be no parameter.
pub(super) fn check(ty: &Type, standing: Standing, errors: &mut Errors) {
    if standing.state {
        if let Some(message) = wrong_state(ty) {
            errors.push(ty, message);
        }
        return;
    }
    if let Some(message) = wrong(ty, standing) {
        errors.push(ty, message);
        return;
    }
    if standing.openai {
        return;
    }
    if let Some(outputs) = answers(ty) {
        output::check(outputs, errors);
        return;
    }
    let inner = argument_of("Option", ty).unwrap_or(ty);
    if ArrayType::lacks_element(inner) {
        errors.leave();
        return;
    }
    match ArrayType::parse(inner) {
        Some(array) => check_element(&array.element, errors),
        None if standing.first_value => check_element(inner, errors),
        None => {}
    }
}

/// Whether a type asks for the requests as they are, by its name.
pub(super) fn is_requests(ty: &Type) -> bool {
    match peeled(ty) {
        Type::Reference(reference) => match peeled(&reference.elem) {
            Type::Slice(slice) => named(&slice.elem, "Request"),
            _ => false,
        },
        _ => false,
    }
}

/// What one answer is, for a type that takes any number of them, by its name.
pub(super) fn answers(ty: &Type) -> Option<&Type> {
    let ty = match peeled(ty) {
        Type::Reference(reference) => peeled(&reference.elem),
        ty => argument_of("Vec", ty).unwrap_or(ty),
    };
    argument_of("Responses", ty)
}

/// What is wrong with the state of a sequence.
fn wrong_state(ty: &Type) -> Option<String> {
    let (outer, inner) = match peeled(ty) {
        Type::Reference(reference) => (Some(reference), peeled(&reference.elem)),
        ty => (None, argument_of("Option", ty)?),
    };
    let changes = outer.is_some_and(|reference| reference.mutability.is_some());
    let (state, each) = match inner {
        Type::Slice(slice) => (peeled(&slice.elem), true),
        inner => (inner, false),
    };
    let (state, lent) = match state {
        Type::Reference(state) => (peeled(&state.elem), state.mutability.is_some()),
        state => (state, false),
    };
    let state = type_text(state);
    match each {
        true if changes && lent => None,
        true => Some(format!(
            "the states of sequences change: write `&mut [&mut {state}]`"
        )),
        false if changes => None,
        false => Some(format!(
            "the state of a sequence is there, and changes: write `&mut {state}`"
        )),
    }
}

fn wrong(ty: &Type, standing: Standing) -> Option<String> {
    match peeled(ty) {
        Type::Reference(reference) => wrong_reference(reference, standing),
        ty @ Type::Path(_) => wrong_path(ty, standing),
        Type::ImplTrait(_) => Some(
            "a model's function must not be generic: write the type, such as `ArrayView2<f32>`"
                .to_owned(),
        ),
        ty => Some(unknown(ty)),
    }
}

fn wrong_reference(reference: &TypeReference, standing: Standing) -> Option<String> {
    let inner = peeled(&reference.elem);
    let injected = match inner {
        Type::Slice(slice) => named(&slice.elem, "Request"),
        _ => INJECTED.iter().any(|name| named(inner, name)),
    };
    if let Type::Slice(slice) = inner
        && named_reference(&slice.elem, "Sequence")
        && reference.mutability.is_none()
    {
        return None;
    }
    if injected && reference.mutability.is_some() {
        let inner = type_text(inner);
        return Some(format!("arguments cannot be changed: write `&{inner}`"));
    }
    if injected {
        let ty = type_text(reference);
        let message = format!("`{ty}` is no input: remove `#[first_value]`");
        return standing.first_value.then_some(message);
    }
    if named(inner, "Request") {
        return Some(SLICE.to_owned());
    }
    if let Some(array) = ArrayType::parse(inner) {
        let view = array.borrowed();
        return Some(format!("an array is passed as a view: write `{view}`"));
    }
    // An alias may be anything that can be borrowed.
    match inner {
        Type::Path(_) if reference.mutability.is_some() && meant_element(inner).is_none() => {
            let text = type_text(reference);
            Some(format!(
                "`{text}` is no input: write `#[sequence]` before it, if it is the state of the request's sequence"
            ))
        }
        Type::Path(_) if type_text(inner) != "str" => None,
        Type::Path(_) if standing.first_value => {
            Some("a `&str` cannot be an element of a tensor: write `String`".to_owned())
        }
        Type::Path(_) if standing.openai => {
            Some("a text is the function's own: write `String`".to_owned())
        }
        Type::Path(_) => Some(scalar(inner, standing).unwrap_or_else(|| unknown(reference))),
        _ => Some(unknown(reference)),
    }
}

fn wrong_path(ty: &Type, standing: Standing) -> Option<String> {
    for name in &INJECTED[..4] {
        if named(ty, name) || argument_of("Option", ty).is_some_and(|ty| named_reference(ty, name))
        {
            return Some(format!(
                "a call always has its own `{name}`: write `&{name}`"
            ));
        }
    }
    if let Some(outputs) = argument_of("Responses", ty) {
        let outputs = type_text(outputs);
        return Some(format!(
            "a call has one way for its answers: write `&Responses<{outputs}>`"
        ));
    }
    if named(ty, "Request") || argument_of("Vec", ty).is_some_and(|ty| named(ty, "Request")) {
        return Some(SLICE.to_owned());
    }
    if let Some(inner) = argument_of("Option", ty) {
        let mut innermost = inner;
        while let Some(inner) = argument_of("Option", innermost) {
            innermost = inner;
        }
        return match argument_of("Option", inner) {
            Some(_) => Some(format!(
                "an input is there or not: write `Option<{}>`",
                type_text(innermost)
            )),
            None => wrong(inner, standing),
        };
    }
    match standing.first_value || standing.openai {
        true => None,
        false => scalar(ty, standing),
    }
}

/// What to write instead of a single value.
fn scalar(ty: &Type, standing: Standing) -> Option<String> {
    let element = meant_element(ty)?;
    let text = type_text(ty);
    Some(match standing {
        Standing { batch: true, .. } => format!(
            "`{text}` is one value for the whole batch: write `#[first_value]` before it, or take an array such as `ArrayView2<{element}>`"
        ),
        Standing { batching, .. } => {
            let rank = if batching { 2 } else { 1 };
            format!("`{text}` is no array: write `ArrayView{rank}<{element}>`")
        }
    })
}

fn named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|last| last.ident == name)
}

fn named_reference(ty: &Type, name: &str) -> bool {
    matches!(peeled(ty), Type::Reference(reference) if named(&reference.elem, name))
}

/// The message on a type that is nothing a function can be given.
fn unknown(ty: &impl ToTokens) -> String {
    format!(
        "`{}` cannot be a parameter of a model: take an array such as `ArrayView2<f32>`, `&Parameters` or `&Context`",
        type_text(ty)
    )
}
