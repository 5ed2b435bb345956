//! Suggestions for types that are known not to be outputs by their names.

use syn::Type;

use crate::array::ArrayType;
use crate::element::meant_element;
use crate::errors::Errors;
use crate::types::{argument_of, arguments, named, peeled, present, traits, type_text};

/// Checks an output by the name of its type; the traits `Output` and `Outputs` decide the rest.
pub(crate) fn check(output: &Type, errors: &mut Errors) {
    if let Some(inner) = argument_of("Option", output) {
        return match no_option(inner) {
            Some(message) => errors.push(output, message),
            None => check(inner, errors),
        };
    }
    match no_array(output) {
        Some(message) => errors.push(output, message),
        None => {
            ArrayType::check_element(output, errors);
        }
    }
}

/// Returns the suggestion for an `Option` of a type that is not one output.
fn no_option(inner: &Type) -> Option<String> {
    if argument_of("Option", inner).is_some() {
        let innermost = std::iter::successors(Some(inner), |ty| argument_of("Option", ty));
        let innermost = type_text(&innermost.last());
        return Some(format!(
            "an output can be optional only once: write `Option<{innermost}>`"
        ));
    }
    if let Some(result) = named("Result", inner) {
        let mut types = arguments(result).map(type_text);
        let outputs = types.next()?;
        let rest: String = types.map(|error| format!(", {error}")).collect();
        return Some(format!(
            "the `Option` is inside of the `Result`: write `Result<Option<{outputs}>{rest}>`"
        ));
    }
    let Type::Tuple(tuple) = peeled(inner) else {
        return None;
    };
    let each = tuple.elems.iter().map(|element| {
        let element = type_text(present(element));
        format!("Option<{element}>")
    });
    let each = each.collect::<Vec<String>>().join(", ");
    Some(format!(
        "each output of a tuple is optional by itself: write `({each})`"
    ))
}

/// Returns the suggestion for a type that is not an owned array.
fn no_array(output: &Type) -> Option<String> {
    if let Some(array) = ArrayType::parse(output) {
        return array.view.then(|| owned(&array.owned()));
    }
    if let Some(element) = meant_element(output) {
        let text = type_text(output);
        return Some(format!(
            "`{text}` is not an array: write `Array2<{element}>`"
        ));
    }
    match peeled(output) {
        Type::Reference(reference) => Some(match ArrayType::parse(&reference.elem) {
            Some(array) => owned(&array.owned()),
            None => "an output must be owned: write the type without `&`".to_owned(),
        }),
        Type::ImplTrait(hidden) => {
            let many = |name: &str| name == "Iterator" || name == "Stream";
            let mut names = traits(hidden).map(|last| last.ident.to_string());
            Some(match names.find(|name| many(name)) {
                Some(name) => format!(
                    "the type of a response must be known: write `impl {name}<Item = Array2<f32>>`"
                ),
                None => "an output's type must be known: write `Array2<f32>`".to_owned(),
            })
        }
        _ => None,
    }
}

fn owned(instead: &str) -> String {
    format!("an output must be owned: write `{instead}`")
}
