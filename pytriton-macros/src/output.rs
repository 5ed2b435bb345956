//! Suggestions for types that are known not to be outputs by their names.

use syn::Type;

use crate::array::ArrayType;
use crate::element::meant_element;
use crate::errors::Errors;
use crate::types::{argument_of, peeled, traits, type_text};

/// Checks an output by the name of its type; the traits `Output` and `Outputs` decide the rest.
pub(crate) fn check(output: &Type, errors: &mut Errors) {
    match no_array(output) {
        Some(message) => errors.push(output, message),
        None => {
            ArrayType::check_element(output, errors);
        }
    }
}

/// Returns the suggestion for a type that is not an owned array.
fn no_array(output: &Type) -> Option<String> {
    if let Some(array) = ArrayType::parse(output) {
        return array.view.then(|| owned(&array.owned()));
    }
    if let Some(inner) = argument_of("Option", output) {
        let inner = type_text(inner);
        return Some(format!("an output cannot be optional: write `{inner}`"));
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
