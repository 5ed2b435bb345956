//! Types as the user wrote them.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type, TypeImplTrait, TypeParamBound};

/// Returns the type inside of parentheses and of the groups that `macro_rules!` creates.
pub(crate) fn peeled(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peeled(&group.elem),
        Type::Paren(paren) => peeled(&paren.elem),
        _ => ty,
    }
}

/// Returns the last segment of a type that is a path.
pub(crate) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match peeled(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

/// Returns the last segment of a type with this name.
pub(crate) fn named<'a>(name: &str, ty: &'a Type) -> Option<&'a PathSegment> {
    last_segment(ty).filter(|last| last.ident == name)
}

/// Returns the last segments of the traits of an `impl Trait`.
pub(crate) fn traits(hidden: &TypeImplTrait) -> impl Iterator<Item = &PathSegment> {
    hidden.bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    })
}

/// Returns the generic arguments.
pub(crate) fn arguments(segment: &PathSegment) -> impl Iterator<Item = &GenericArgument> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments.into_iter().flatten()
}

/// Returns the first generic type argument.
pub(crate) fn type_argument(segment: &PathSegment) -> Option<&Type> {
    arguments(segment).find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Returns the type argument of a type with this name, such as `Option<T>`, `Result<T, E>`,
/// `Vec<T>`.
pub(crate) fn argument_of<'a>(name: &str, ty: &'a Type) -> Option<&'a Type> {
    type_argument(named(name, ty)?)
}

/// Returns the type inside of an `Option`, or the type itself.
pub(crate) fn present(ty: &Type) -> &Type {
    argument_of("Option", ty).unwrap_or(ty)
}

/// Formats a type as a user writes it.
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
    fn types_are_formatted_as_users_write_them() {
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
