//! What a type must be to be an output, or an input's array to fit its model.

use syn::Type;

use crate::array::ArrayType;
use crate::element::{check_element, meant_element};
use crate::errors::Errors;
use crate::tensor::Dims;
use crate::types::{argument_of, peeled, type_text};

/// Which axis of an array is the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BatchAxis {
    First,
    None,
    /// A struct of outputs does not know the models that return it.
    Unknown,
}

/// Checks an output as far as its type's name tells; the rest is left to the traits `Output` and `Outputs`.
pub(crate) fn check(output: &Type, axis: BatchAxis, shape: Option<&Dims>, errors: &mut Errors) {
    if let Some(array) = ArrayType::parse(output).filter(|array| !array.view) {
        check_element(&array.element, errors);
        check_rank(&array, axis, shape, errors);
        if array.rank.is_none() && shape.is_none() {
            let place = match axis {
                BatchAxis::Unknown => "before the field",
                BatchAxis::First | BatchAxis::None => "above the function",
            };
            let message = format!(
                "`{}` can have any dims: write them as `#[output(shape = [-1])]` {place}",
                type_text(output)
            );
            errors.push(output, message);
        }
    } else if let Some(message) = no_array(output, axis) {
        errors.push(output, message);
    }
}

/// What to write instead of a type that is no owned array.
fn no_array(output: &Type, axis: BatchAxis) -> Option<String> {
    let text = type_text(output);
    let rank = if axis == BatchAxis::None { 1 } else { 2 };
    if let Some(array) = ArrayType::parse(output) {
        return Some(owned(&array.owned()));
    }
    if let Some(name) = ArrayType::lacks_element(output) {
        return Some(format!("expected an element type: write `{name}<f32>`"));
    }
    if let Some(inner) = argument_of("Option", output) {
        let inner = type_text(inner);
        return Some(format!("an output cannot be left out: write `{inner}`"));
    }
    if let Some(element) = meant_element(output) {
        return Some(format!(
            "`{text}` is no array: write `Array{rank}<{element}>`"
        ));
    }
    match peeled(output) {
        Type::Reference(reference) => Some(match ArrayType::parse(&reference.elem) {
            Some(array) => owned(&array.owned()),
            None => "an output must be owned: write the type without `&`".to_owned(),
        }),
        Type::ImplTrait(_) => Some(format!(
            "an output's type must be known: write `Array{rank}<f32>`"
        )),
        _ => None,
    }
}

fn owned(instead: &str) -> String {
    format!("an output must be owned: write `{instead}`")
}

/// Checks that a dimension remains beside the batch axis, and that the dims fit.
pub(crate) fn check_rank(
    array: &ArrayType,
    axis: BatchAxis,
    shape: Option<&Dims>,
    errors: &mut Errors,
) {
    let text = array.text();
    let Some(rank) = array.rank else {
        return;
    };
    let message = match (axis, rank) {
        (BatchAxis::First, 0 | 1) => format!(
            "axis 0 is the batch, and `{text}` has no other: write `{}`",
            array.with_rank(2)
        ),
        (BatchAxis::None | BatchAxis::Unknown, 0) => format!(
            "`{text}` has no dimension: write `{}`",
            array.with_rank(if axis == BatchAxis::None { 1 } else { 2 })
        ),
        _ => {
            if let Some(shape) = shape {
                shape.check_rank(&text, rank, axis, errors);
            }
            return;
        }
    };
    errors.push(&array.ty, message);
}
