use proc_macro2::Span;
use syn::{PathArguments, ReturnType, Signature, Type};

use super::args::Settings;
use super::ast::OutputOverride;
use crate::array::ArrayType;
use crate::attribute::{Helper, HelperAttribute};
use crate::errors::Errors;
use crate::output;
use crate::tensor::{Dims, TensorName, check_distinct};
use crate::types::{argument_of, last_segment, peeled, type_text};

/// How many outputs a tuple can have.
const MOST: usize = 8;

/// The return type and what `#[output]` says of it.
pub(super) fn read(
    settings: &Settings,
    raw: bool,
    signature: &Signature,
    helpers: &[HelperAttribute],
    errors: &mut Errors,
) -> Option<(Type, Vec<OutputOverride>)> {
    let attributes = helpers
        .iter()
        .filter(|attribute| attribute.helper == Helper::Output);
    let attributes: Vec<&HelperAttribute> = attributes.collect();
    let overrides = attributes
        .iter()
        .map(|attribute| output_override(attribute, errors));
    let overrides: Vec<OutputOverride> = overrides.collect();
    let ReturnType::Type(_, returned) = &signature.output else {
        let message = format!(
            "`{}` returns nothing: write `-> {}`",
            signature.ident,
            example(raw)
        );
        errors.push(&signature.ident, message);
        return None;
    };
    check_error(returned, errors);
    let entry = entry(returned, raw, errors)?;
    let types = output_types(entry, raw, errors)?;
    for (index, ty) in types.iter().enumerate() {
        let shape = overrides.get(index).and_then(|with| with.shape.as_ref());
        output::check(ty, settings.batch_axis(), shape, errors);
    }
    let tuple = matches!(peeled(entry), Type::Tuple(_));
    let known = (tuple || ArrayType::parse(entry).is_some()).then_some(types.len());
    if let Some(count) = known {
        check_count(returned, count, &attributes, errors);
    }
    check_names(known.unwrap_or(0), &overrides, errors);
    Some(((**returned).clone(), overrides))
}

fn example(raw: bool) -> &'static str {
    if raw {
        "Vec<Array2<f32>>"
    } else {
        "Array2<f32>"
    }
}

fn output_override(attribute: &HelperAttribute, errors: &mut Errors) -> OutputOverride {
    let before = errors.len();
    let options = attribute.options(&["name", "shape"], errors);
    if options.is_empty() && errors.len() == before {
        let message = "`#[output]` says nothing: write `#[output(name = \"y\")]`, or remove it";
        errors.push(attribute, message);
    }
    OutputOverride {
        name: TensorName::take(&options, errors),
        shape: Dims::take(&options, errors),
    }
}

/// The type of the outputs of one call or, for a raw function, of one request.
fn entry<'a>(returned: &'a Type, raw: bool, errors: &mut Errors) -> Option<&'a Type> {
    let inner = unwrapped(returned);
    if !raw {
        return Some(inner);
    }
    if let Some(entry) = argument_of("Vec", inner) {
        return Some(unwrapped(entry));
    }
    // Other types may still implement `Responses`, which the compiler finds out.
    if ArrayType::parse(inner).is_some() || matches!(peeled(inner), Type::Tuple(_)) {
        let message = "a function that takes `&[Request]` returns one entry for each: write `Vec<Array2<f32>>`";
        errors.push(inner, message);
    }
    None
}

/// The type inside of a `Result`, under whatever alias of that name.
fn unwrapped(ty: &Type) -> &Type {
    argument_of("Result", ty).unwrap_or(ty)
}

/// The types of a tuple, or the one type.
fn output_types<'a>(entry: &'a Type, raw: bool, errors: &mut Errors) -> Option<Vec<&'a Type>> {
    let Type::Tuple(tuple) = peeled(entry) else {
        return Some(vec![entry]);
    };
    if tuple.elems.is_empty() {
        let message = format!("a model must return its outputs: write `{}`", example(raw));
        errors.push(entry, message);
        return None;
    }
    if let Some(surplus) = tuple.elems.iter().nth(MOST) {
        let message = format!(
            "a tuple has at most {MOST} outputs: return a struct that derives `pytriton::Outputs`"
        );
        errors.push(surplus, message);
    }
    Some(tuple.elems.iter().collect())
}

/// Checks that the error of a `Result` can be named outside of the function.
fn check_error(returned: &Type, errors: &mut Errors) {
    let Some(segment) = last_segment(returned).filter(|last| last.ident == "Result") else {
        return;
    };
    let PathArguments::AngleBracketed(list) = &segment.arguments else {
        return;
    };
    for error in list.args.iter().skip(1) {
        let text = type_text(error);
        let borrowed = text.replace("&'static", "").contains('&');
        if borrowed || text.contains("impl ") {
            errors.push(
                error,
                format!("`{text}` cannot be named outside of the function: write `String`"),
            );
        }
    }
}

/// Compares the number of `#[output]` attributes with that of the outputs.
fn check_count(returned: &Type, count: usize, found: &[&HelperAttribute], errors: &mut Errors) {
    let outputs = if count == 1 {
        "1 output".to_owned()
    } else {
        format!("{count} outputs")
    };
    for surplus in found.iter().skip(count) {
        errors.push(
            surplus,
            format!("the function returns {outputs}: remove this"),
        );
    }
    if (1..count).contains(&found.len()) {
        let found = found.len();
        let message = format!("this is {outputs} under {found} `#[output]`: write one for each");
        errors.push(returned, message);
    }
}

/// Reports two outputs of one name, be it by default.
fn check_names(count: usize, overrides: &[OutputOverride], errors: &mut Errors) {
    let given = |index: usize| overrides.get(index).and_then(|with| with.name.clone());
    let defaults = (0..count)
        .filter(|index| given(*index).is_none())
        .map(|index| TensorName {
            text: format!("OUTPUT_{}", index + 1),
            span: Span::call_site(),
            own: false,
        });
    // The given names come last, so that the message lands on one of them.
    let names: Vec<TensorName> = defaults
        .chain((0..overrides.len()).filter_map(given))
        .collect();
    check_distinct("output", &names, errors);
}
