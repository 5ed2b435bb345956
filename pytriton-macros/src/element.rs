use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

use crate::errors::Errors;

/// The names of the element types.
const ELEMENTS: [&str; 14] = [
    "bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64",
    "String",
];

/// An array type as the user wrote it: `ArrayView2<'_, f32>`, `ndarray::ArrayD<u8>`.
#[derive(Debug, Clone)]
pub(crate) struct ArrayType {
    /// `Array2`, `ArrayViewD`.
    pub(crate) name: Ident,
    pub(crate) view: bool,
    /// The number of dimensions; `None` for `ArrayD` and `ArrayViewD`.
    pub(crate) rank: Option<usize>,
    pub(crate) element: Type,
    /// The whole type.
    pub(crate) ty: Type,
}

impl ArrayType {
    /// Reads an array type; `None` for any other, and for one without its element type.
    pub(crate) fn parse(ty: &Type) -> Option<Self> {
        let segment = last_segment(ty)?;
        let (view, rank) = kind(&segment.ident)?;
        Some(Self {
            name: segment.ident.clone(),
            view,
            rank,
            element: type_argument(segment)?.clone(),
            ty: ty.clone(),
        })
    }

    /// The type as messages show it.
    pub(crate) fn text(&self) -> String {
        format!("{}<{}>", self.name, type_text(&self.element))
    }

    /// The same kind of array with another number of dimensions.
    pub(crate) fn with_rank(&self, rank: usize) -> String {
        let name = if self.view { "ArrayView" } else { "Array" };
        format!("{name}{rank}<{}>", type_text(&self.element))
    }

    /// Whether the type is named like an array but lacks its element type.
    pub(crate) fn lacks_element(ty: &Type) -> Option<&Ident> {
        let segment = last_segment(ty)?;
        (kind(&segment.ident).is_some() && type_argument(segment).is_none())
            .then_some(&segment.ident)
    }
}

/// Whether it is a view, and the number of dimensions.
fn kind(name: &Ident) -> Option<(bool, Option<usize>)> {
    let name = name.to_string();
    let rest = name.strip_prefix("Array")?;
    let (view, rest) = match rest.strip_prefix("View") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    match rest {
        "D" => Some((view, None)),
        "0" | "1" | "2" | "3" | "4" | "5" | "6" => Some((view, Some(rest.parse().ok()?))),
        _ => None,
    }
}

/// Reports an element type that is known to be none; other types are left to the trait `Element`.
pub(crate) fn check_element(element: &Type, errors: &mut Errors) {
    let instead = match peeled(element) {
        Type::Reference(_) | Type::Slice(_) => match type_text(element).as_str() {
            "&str" | "&'static str" => "String",
            "&[u8]" | "&'static [u8]" | "[u8]" => "Vec<u8>",
            _ => return,
        },
        Type::Tuple(tuple) if tuple.elems.is_empty() => "bool",
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

/// The type inside of parentheses and of the groups that `macro_rules!` leaves.
pub(crate) fn peeled(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peeled(&group.elem),
        Type::Paren(paren) => peeled(&paren.elem),
        _ => ty,
    }
}

/// The last segment of a type that is a path.
pub(crate) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match peeled(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

/// The first type between the angle brackets.
pub(crate) fn type_argument(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The type argument of a type of that name: of `Option<T>`, `Result<T, E>`, `Vec<T>`.
pub(crate) fn argument_of<'a>(name: &str, ty: &'a Type) -> Option<&'a Type> {
    let segment = last_segment(ty)?;
    (segment.ident == name).then(|| type_argument(segment))?
}

/// A type as a user writes it.
pub(crate) fn type_text(ty: &impl ToTokens) -> String {
    let mut text = String::new();
    write_tokens(ty.to_token_stream(), &mut text);
    text
}

fn write_tokens(tokens: TokenStream, text: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                let space = if text.ends_with("mut") { " " } else { "" };
                text.push_str(space);
                text.push_str(open);
                write_tokens(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                ',' => text.push_str(", "),
                sign @ ('+' | '=') => text.extend([' ', sign, ' ']),
                sign => text.push(sign),
            },
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                let word = |c: char| c.is_alphanumeric() || c == '_';
                let space = if text.ends_with(word) { " " } else { "" };
                text.push_str(space);
                text.push_str(&token.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn knows_arrays_under_any_path() {
        let table: [(Type, Option<(bool, Option<usize>)>); 8] = [
            (parse_quote!(ArrayView2<f32>), Some((true, Some(2)))),
            (
                parse_quote!(ndarray::ArrayView3<'_, f32>),
                Some((true, Some(3))),
            ),
            (
                parse_quote!(::pytriton::ndarray::Array1<Vec<u8>>),
                Some((false, Some(1))),
            ),
            (parse_quote!((ArrayD<bool>)), Some((false, None))),
            (parse_quote!(ArrayViewD<'a, bool>), Some((true, None))),
            (parse_quote!(ArrayViewMut2<f32>), None),
            (parse_quote!(ArrayView7<f32>), None),
            (parse_quote!(Array2), None),
        ];
        for (ty, expected) in table {
            let array = ArrayType::parse(&ty);
            assert_eq!(
                array.map(|array| (array.view, array.rank)),
                expected,
                "{}",
                type_text(&ty)
            );
        }
    }

    #[test]
    fn writes_types_as_users_do() {
        let table: [(Type, &str); 6] = [
            (
                parse_quote!(ndarray::ArrayView2<'_, f32>),
                "ndarray::ArrayView2<'_, f32>",
            ),
            (parse_quote!(&'static str), "&'static str"),
            (parse_quote!(&mut [Request]), "&mut [Request]"),
            (
                parse_quote!((Array1<f32>, Vec<u8>)),
                "(Array1<f32>, Vec<u8>)",
            ),
            (parse_quote!(impl Display + Send), "impl Display + Send"),
            (parse_quote!(Option<&Parameters>), "Option<&Parameters>"),
        ];
        for (ty, expected) in table {
            assert_eq!(type_text(&ty), expected);
        }
    }
}
