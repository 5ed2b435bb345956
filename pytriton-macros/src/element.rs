use syn::Type;

use crate::errors::Errors;
use crate::types::{last_segment, named, type_text};

/// The element types, and their KServe names.
pub(crate) const ELEMENTS: [(&str, &str); 14] = [
    ("bool", "BOOL"),
    ("u8", "UINT8"),
    ("u16", "UINT16"),
    ("u32", "UINT32"),
    ("u64", "UINT64"),
    ("i8", "INT8"),
    ("i16", "INT16"),
    ("i32", "INT32"),
    ("i64", "INT64"),
    ("f16", "FP16"),
    ("bf16", "BF16"),
    ("f32", "FP32"),
    ("f64", "FP64"),
    ("String", "BYTES"),
];

/// Common types that are not element types, and their replacements.
const INSTEAD: [(&str, &str); 12] = [
    ("u128", "u64"),
    ("usize", "u64"),
    ("i128", "i64"),
    ("isize", "i64"),
    ("char", "u32"),
    ("()", "f32"),
    ("str", "String"),
    ("&str", "String"),
    ("&'static str", "String"),
    ("[u8]", "Vec<u8>"),
    ("&[u8]", "Vec<u8>"),
    ("&'static [u8]", "Vec<u8>"),
];

/// Reports a type that is known not to be an element type; the trait `Element` decides the rest.
pub(crate) fn check_element(element: &Type, errors: &mut Errors) {
    if is_element(element) {
        return;
    }
    let text = type_text(element);
    if let Some(instead) = instead(&text) {
        let message = format!("`{text}` cannot be an element of a tensor: write `{instead}`");
        errors.push(element, message);
    }
}

/// Returns the suggested element type for a type that, by its name, is a single element.
pub(crate) fn meant_element(ty: &Type) -> Option<String> {
    let text = type_text(ty);
    if let Some(instead) = instead(&text) {
        return Some(instead.to_owned());
    }
    let bytes = text == "Vec<u8>" || named("Bytes", ty).is_some() || named("Json", ty).is_some();
    (bytes || is_element(ty)).then_some(text)
}

/// Returns whether a type is an element type by its name.
fn is_element(ty: &Type) -> bool {
    let last = last_segment(ty).map(|last| last.ident.to_string());
    last.is_some_and(|last| ELEMENTS.iter().any(|(name, _)| *name == last))
}

fn instead(text: &str) -> Option<&'static str> {
    let (_, instead) = INSTEAD.iter().find(|(wrong, _)| *wrong == text)?;
    Some(instead)
}
