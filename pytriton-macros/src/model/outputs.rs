//! Return types that are known to be invalid by their names.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{GenericArgument, ReturnType, Signature, Type};

use super::decorations::Decorations;
use super::lifetime::nameable;
use crate::array::ArrayType;
use crate::decorators::output::Override;
use crate::errors::Errors;
use crate::output;
use crate::tensor::{TensorName, check_distinct};
use crate::types::{argument_of, arguments, named, peeled, present, type_text};

/// The maximum number of outputs in a tuple.
const MAX_OUTPUTS: usize = 8;

/// Parses the type of one response: the return type, or `item` for a streaming function. `raw` if
/// the function is known to take raw requests.
pub(super) fn read(
    raw: bool,
    signature: &Signature,
    item: Option<&Type>,
    decorations: &Decorations,
    errors: &mut Errors,
) -> Option<Type> {
    let overrides = &*decorations.overrides;
    let ReturnType::Type(_, returned) = &signature.output else {
        let name = &signature.ident;
        let example = match decorations.generates_text() {
            true => "impl Iterator<Item = String>",
            false => example(raw),
        };
        let message = format!("`{name}` returns nothing: write `-> {example}`");
        errors.push(name, message);
        return None;
    };
    let returned = item.unwrap_or(returned);
    check_error(returned, errors);
    if decorations.generates_text() {
        return Some(returned.clone());
    }
    if let Some((outputs, error)) = result(returned)
        && ArrayType::parse(error).is_some()
    {
        let instead = format!("Result<{}, {}>", type_text(error), type_text(outputs));
        let message = format!("the outputs come first: write `{instead}`");
        errors.push(returned, message);
        return None;
    }
    let mut known = 0;
    if let Some(entry) = entry(returned, raw, errors) {
        known = check_types(entry, raw, errors)?;
    }
    if known > 0 {
        check_count(returned, known, overrides, errors);
    }
    check_names(known, overrides, errors);
    Some(returned.clone())
}

fn example(raw: bool) -> &'static str {
    match raw {
        true => "Vec<Array2<f32>>",
        false => "Array2<f32>",
    }
}

/// Returns the calls that require the trait of each part of a return type, so that the compiler
/// points at the part.
pub(super) fn bounds(returned: &Type, raw: bool, state: Option<&Type>) -> Vec<TokenStream> {
    let mut bounds = Vec::new();
    let mut require = |what: &str, ty: &Type| {
        let (what, named) = (Ident::new(what, ty.span()), nameable(ty, state));
        bounds.push(quote_spanned!(ty.span()=> #what::<#named>()));
    };
    let mut inner = halves(returned, &mut require);
    let mut what = "outputs";
    if let Some(entry) = argument_of("Vec", inner).filter(|_| raw) {
        inner = halves(entry, &mut require);
        what = "entry";
    }
    match peeled(inner) {
        Type::Tuple(tuple) if !raw || what == "entry" => {
            tuple
                .elems
                .iter()
                .for_each(|element| require("element", element));
        }
        _ => require(what, inner),
    }
    bounds
}

/// Returns the outputs of a `Result`, whose error type is also required to be valid; any other type
/// is returned.
fn halves<'a>(ty: &'a Type, require: &mut impl FnMut(&str, &Type)) -> &'a Type {
    match result(ty) {
        Some((outputs, error)) => {
            require("error", error);
            outputs
        }
        None => ty,
    }
}

/// Returns the type arguments of a `Result`.
fn result(ty: &Type) -> Option<(&Type, &Type)> {
    match Vec::from_iter(arguments(named("Result", ty)?))[..] {
        [GenericArgument::Type(outputs), GenericArgument::Type(error)] => Some((outputs, error)),
        _ => None,
    }
}

/// Returns the output type of one call or, for a raw function, of one request.
fn entry<'a>(returned: &'a Type, raw: bool, errors: &mut Errors) -> Option<&'a Type> {
    let inner = unwrapped(returned);
    if !raw {
        return Some(inner);
    }
    if let Some(entry) = argument_of("Vec", inner) {
        return Some(unwrapped(entry));
    }
    if ArrayType::parse(inner).is_some() || matches!(peeled(inner), Type::Tuple(_)) {
        let message = "a function that takes `&[Request]` returns one entry per request: write `Vec<Array2<f32>>`";
        errors.push(inner, message);
    }
    None
}

/// Returns the type inside of a `Result`, including aliases of that name.
fn unwrapped(ty: &Type) -> &Type {
    argument_of("Result", ty).unwrap_or(ty)
}

/// Checks the types of a tuple, or a single type. Returns the number of outputs, or 0 if only the
/// compiler can determine it.
fn check_types(entry: &Type, raw: bool, errors: &mut Errors) -> Option<usize> {
    let Type::Tuple(tuple) = peeled(entry) else {
        output::check(entry, errors);
        return Some(usize::from(ArrayType::parse(present(entry)).is_some()));
    };
    if tuple.elems.is_empty() {
        let message = format!("a model must return its outputs: write `{}`", example(raw));
        errors.push(entry, message);
        return None;
    }
    if let Some(surplus) = tuple.elems.iter().nth(MAX_OUTPUTS) {
        let message = format!(
            "a tuple has at most {MAX_OUTPUTS} outputs: return a struct that derives `pytriton::Outputs`"
        );
        errors.push(surplus, message);
    }
    for element in &tuple.elems {
        output::check(element, errors);
    }
    Some(tuple.elems.len())
}

/// Checks that the error type of a `Result` can be named outside of the function.
fn check_error(returned: &Type, errors: &mut Errors) {
    let errors_of = named("Result", returned).into_iter().flat_map(arguments);
    for error in errors_of.skip(1) {
        let text = type_text(error);
        if text.contains("impl ") {
            let message =
                format!("`{text}` cannot be named outside of the function: write `String`");
            errors.push(error, message);
        }
    }
}

/// Compares the number of `#[output]` attributes with the number of outputs.
fn check_count(returned: &Type, count: usize, found: &[Override], errors: &mut Errors) {
    let outputs = if count == 1 {
        "1 output".to_owned()
    } else {
        format!("{count} outputs")
    };
    for surplus in found.iter().skip(count) {
        errors.push(
            &surplus.decoration,
            format!("the function returns {outputs}: remove this"),
        );
    }
    if (1..count).contains(&found.len()) {
        let found = found.len();
        let message = format!("this is {outputs} under {found} `#[output]`: write one for each");
        errors.push(returned, message);
    }
}

/// Reports duplicate output names, including default names.
fn check_names(count: usize, overrides: &[Override], errors: &mut Errors) {
    let given = |index: usize| overrides.get(index).and_then(|with| with.name.clone());
    let defaults = (0..count)
        .filter(|index| given(*index).is_none())
        .map(|index| TensorName {
            text: format!("OUTPUT_{}", index + 1),
            span: Span::call_site(),
            own: false,
        });
    // Given names come last, so that the error is on one of them.
    let names: Vec<TensorName> = defaults
        .chain((0..overrides.len()).filter_map(given))
        .collect();
    check_distinct("output", &names, errors);
}
