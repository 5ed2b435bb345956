use syn::Type;

use crate::errors::Errors;
use crate::types::{last_segment, peeled, type_text};

/// The names of the element types.
const ELEMENTS: [&str; 14] = [
    "bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64",
    "String",
];

/// Reports an element type that is known to be none; other types are left to the trait `Element`.
pub(crate) fn check_element(element: &Type, errors: &mut Errors) {
    let instead = match peeled(element) {
        Type::Reference(_) | Type::Slice(_) => match type_text(element).as_str() {
            "&str" | "&'static str" => "String",
            "&[u8]" | "&'static [u8]" | "[u8]" => "Vec<u8>",
            _ => return,
        },
        Type::Tuple(tuple) if tuple.elems.is_empty() => "f32`, for example, or `bool",
        Type::Path(_) => match type_text(element).as_str() {
            "u128" | "usize" => "u64",
            "i128" | "isize" => "i64",
            "char" => "u32` or `String",
            "str" => "String",
            _ => return,
        },
        _ => return,
    };
    let message = format!(
        "`{}` cannot be an element of a tensor: write `{instead}`",
        type_text(element)
    );
    errors.push(element, message);
}

/// Whether a type is, by its name, a single element.
pub(crate) fn is_element(ty: &Type) -> bool {
    let text = type_text(ty);
    let known = last_segment(ty).is_some_and(|last| ELEMENTS.iter().any(|name| last.ident == name));
    known || text == "Vec<u8>" || not_element(&text)
}

fn not_element(text: &str) -> bool {
    let names = [
        "usize",
        "isize",
        "u128",
        "i128",
        "char",
        "str",
        "&str",
        "&'static str",
    ];
    names.contains(&text)
}
