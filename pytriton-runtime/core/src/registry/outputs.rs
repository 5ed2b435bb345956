use crate::model::{OutputOverride, TensorDeclaration};
use crate::text::equal;

use super::refuse;
use super::violation::Violation;

/// The reason why a function's outputs are not allowed.
const fn outputs_flaw(outputs: &[TensorDeclaration], overrides: &[OutputOverride]) -> Violation {
    if overrides.len() < outputs.len() && !overrides.is_empty() {
        return Some(
            "the function returns more outputs than it has `#[output]` attributes: write one for each, or none",
        );
    }
    if overrides.len() > outputs.len() {
        return Some(
            "the function returns fewer outputs than it has `#[output]` attributes: remove the last",
        );
    }
    if !outputs.is_empty() && outputs[0].name.is_empty() {
        return Some(
            "this cannot be returned by a model: write an owned array such as `Array2<f32>`, a tuple of arrays, a struct that derives `pytriton::Outputs`, or a `Result` of one of them",
        );
    }
    let mut index = 0;
    while index < outputs.len() {
        let output = overridden(outputs[index], overrides, index);
        let mut earlier = 0;
        while earlier < index {
            let other = overridden(outputs[earlier], overrides, earlier);
            if equal(other.name, output.name) {
                return Some(
                    "two outputs have the same name: write `#[output(name = \"…\")]` for each",
                );
            }
            earlier += 1;
        }
        index += 1;
    }
    None
}

/// The reason why an output is not allowed, and its name.
const fn output_flaw(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
    batching: bool,
) -> Option<(&'static str, &'static str)> {
    let mut index = 0;
    while index < outputs.len() {
        let output = overridden(outputs[index], overrides, index);
        let flaw = match output.flaw(batching) {
            // A shape in an attribute is reported on the attribute.
            None if index < overrides.len() && overrides[index].shape.is_some() => None,
            None => output.shape_flaw(batching),
            flaw => flaw,
        };
        if let Some(flaw) = flaw {
            return Some((output.name, flaw));
        }
        index += 1;
    }
    None
}

/// The error in the shape of the `#[output]` attribute with this index.
pub const fn override_flaw(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
    index: usize,
    batching: bool,
) -> Violation {
    match index < outputs.len() && index < overrides.len() {
        true if overrides[index].shape.is_some() => {
            overridden(outputs[index], overrides, index).shape_flaw(batching)
        }
        _ => None,
    }
}

/// The error in the labels of the `#[output]` attribute with this index.
pub const fn labels_flaw(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
    index: usize,
) -> Violation {
    match index < outputs.len() && index < overrides.len() {
        true => overridden(outputs[index], overrides, index).labels_flaw(),
        false => None,
    }
}

/// Refuses outputs at compile time, like [`refuse`]; names the output if there are
/// several.
///
/// # Panics
///
/// In a constant, which makes it a compile error.
#[track_caller]
pub const fn refuse_outputs(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
    batching: bool,
) {
    refuse(outputs_flaw(outputs, overrides));
    let Some((name, flaw)) = output_flaw(outputs, overrides, batching) else {
        return;
    };
    let mut text = [0; 512];
    let mut end = 0;
    if outputs.len() > 1 {
        end = append(&mut text, end, "output `");
        end = append(&mut text, end, name);
        end = append(&mut text, end, "`: ");
    }
    end = append(&mut text, end, flaw);
    let text = text.split_at(end).0;
    match std::str::from_utf8(text) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("{}", flaw),
    }
}

/// Appends a text and returns the new end.
const fn append(buffer: &mut [u8], mut end: usize, text: &str) -> usize {
    let text = text.as_bytes();
    let mut index = 0;
    while index < text.len() && end < buffer.len() {
        buffer[end] = text[index];
        index += 1;
        end += 1;
    }
    end
}

/// An output with its `#[output]` attribute applied.
pub(super) const fn overridden(
    mut output: TensorDeclaration,
    overrides: &[OutputOverride],
    index: usize,
) -> TensorDeclaration {
    if index < overrides.len() {
        if let Some(name) = overrides[index].name {
            output.name = name;
        }
        if overrides[index].shape.is_some() {
            output.shape = overrides[index].shape;
        }
        if !overrides[index].labels.is_empty() {
            output.labels = overrides[index].labels;
        }
    }
    output
}
