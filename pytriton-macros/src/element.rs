use syn::Type;

use crate::errors::Errors;
use crate::types::{last_segment, type_text};

/// The names of the element types.
const ELEMENTS: [&str; 14] = [
    "bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64",
    "String",
];

/// Well-known types that are none, and what to write instead.
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

/// Reports an element type that is known to be none; other types are left to the trait `Element`.
pub(crate) fn check_element(element: &Type, errors: &mut Errors) {
    let text = type_text(element);
    if let Some(instead) = instead(&text) {
        let message = format!("`{text}` cannot be an element of a tensor: write `{instead}`");
        errors.push(element, message);
    }
}

/// The element type to write for a type that is, by its name, meant as a single element.
pub(crate) fn meant_element(ty: &Type) -> Option<String> {
    let text = type_text(ty);
    if let Some(instead) = instead(&text) {
        return Some(instead.to_owned());
    }
    let known = last_segment(ty).is_some_and(|last| ELEMENTS.iter().any(|name| last.ident == name));
    (known || text == "Vec<u8>").then_some(text)
}

fn instead(text: &str) -> Option<&'static str> {
    let (_, instead) = INSTEAD.iter().find(|(wrong, _)| *wrong == text)?;
    Some(instead)
}
