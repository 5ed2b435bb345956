use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{FnArg, GenericArgument, Path, PathArguments, Signature, Type, parse_quote};

use crate::array::ArrayType;
use crate::errors::Errors;
use crate::types::{argument_of, arguments, last_segment, peeled, present};

/// Rewrites a type so that code outside the function can name it: without the function's lifetimes,
/// and with the state's type for `Self`.
pub(super) fn nameable(ty: &Type, state: Option<&Type>) -> Type {
    Rewriting::of(ty, state, false)
}

/// Replaces all lifetimes of a type by `'static`, for values that borrow nothing.
pub(super) fn to_static(ty: &Type) -> Type {
    Rewriting::of(ty, None, true)
}

#[derive(Debug)]
struct Rewriting<'ast> {
    state: Option<&'ast Type>,
    to_static: bool,
    /// Most types do not change and need not be parsed again.
    changed: bool,
}

impl<'ast> Rewriting<'ast> {
    fn of(ty: &Type, state: Option<&'ast Type>, to_static: bool) -> Type {
        let mut rewriting = Self {
            state,
            to_static,
            changed: false,
        };
        let tokens = rewriting.rewrite(ty.to_token_stream());
        let rewritten = rewriting.changed.then(|| syn::parse2(tokens).ok());
        rewritten.flatten().unwrap_or_else(|| ty.clone())
    }

    fn rewrite(&mut self, tokens: TokenStream) -> TokenStream {
        let mut rewritten = TokenStream::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.rewrite(group.stream()));
                    inner.set_span(group.span());
                    inner.to_tokens(&mut rewritten);
                }
                TokenTree::Ident(ident) if self.state.is_some() && ident == "Self" => {
                    self.changed = true;
                    self.state.to_tokens(&mut rewritten);
                }
                token if is_sign(&token, '\'') => {
                    let name = tokens.next().map(|name| match self.to_static {
                        _ if name.to_string() == "static" => name,
                        true => Ident::new("static", name.span()).into(),
                        false => Ident::new("_", name.span()).into(),
                    });
                    self.changed = true;
                    rewritten.extend([token].into_iter().chain(name));
                }
                token if self.to_static && is_sign(&token, '&') => {
                    let named = tokens.peek().is_some_and(|next| is_sign(next, '\''));
                    let lifetime = (!named).then(|| quote!('static));
                    self.changed = true;
                    rewritten.extend(quote!(#token #lifetime));
                }
                token => rewritten.extend([token]),
            }
        }
        rewritten
    }
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Views and references live only as long as the call.
pub(super) fn check_static(ty: &Type, errors: &mut Errors) {
    let inner = present(ty);
    let lifetime = match peeled(inner) {
        Type::Reference(reference) => reference.lifetime.as_ref(),
        _ => last_segment(inner).and_then(|segment| {
            arguments(segment).find_map(|argument| match argument {
                GenericArgument::Lifetime(lifetime) => Some(lifetime),
                _ => None,
            })
        }),
    };
    if let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") {
        errors.push(
            lifetime,
            "arguments are borrowed only for the call: remove `'static`",
        );
    }
}

/// Adds the `'_` that Rust requires in the view types of an `async fn`.
pub(super) fn spell_out(signature: &mut Signature) {
    if signature.asyncness.is_none() {
        return;
    }
    for input in &mut signature.inputs {
        if let FnArg::Typed(parameter) = input {
            spell_out_type(&mut parameter.ty);
        }
    }
}

fn spell_out_type(ty: &mut Type) {
    let is_view =
        ArrayType::parse(ty).is_some_and(|array| array.view) || argument_of("Ragged", ty).is_some();
    let is_option = argument_of("Option", ty).is_some();
    let Some(path) = path(ty) else { return };
    let Some(segment) = path.segments.last_mut() else {
        return;
    };
    let PathArguments::AngleBracketed(arguments) = &mut segment.arguments else {
        return;
    };
    if is_option {
        for argument in &mut arguments.args {
            if let GenericArgument::Type(ty) = argument {
                spell_out_type(ty);
            }
        }
    }
    let has_lifetime =
        |argument: &GenericArgument| matches!(argument, GenericArgument::Lifetime(_));
    if is_view && !arguments.args.iter().any(has_lifetime) {
        arguments.args.insert(0, parse_quote!('_));
    }
}

fn path(ty: &mut Type) -> Option<&mut Path> {
    match ty {
        Type::Group(group) => path(&mut group.elem),
        Type::Paren(paren) => path(&mut paren.elem),
        Type::Path(ty) => Some(&mut ty.path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;

    use super::*;

    #[test]
    fn unborrowed_types_become_static() {
        let table: [(Type, Type); 4] = [
            (parse_quote!(Array2<f32>), parse_quote!(Array2<f32>)),
            (
                parse_quote!((Cow<'a, str>, &str)),
                parse_quote!((Cow<'static, str>, &'static str)),
            ),
            (
                parse_quote!(<State as Typed>::Output<'_>),
                parse_quote!(<State as Typed>::Output<'static>),
            ),
            (
                parse_quote!(&&'b mut [&'static str]),
                parse_quote!(&'static &'static mut [&'static str]),
            ),
        ];
        for (ty, expected) in table {
            assert_eq!(to_static(&ty), expected);
        }
    }

    #[test]
    fn only_elided_views_of_async_functions_change() {
        let table: [(Signature, Signature); 6] = [
            (
                parse_quote!(async fn f(x: Ragged<i64>, y: Ragged<'_, u8>)),
                parse_quote!(async fn f(x: Ragged<'_, i64>, y: Ragged<'_, u8>)),
            ),
            (
                parse_quote!(async fn f(x: Option<pytriton::Ragged<u8>>)),
                parse_quote!(async fn f(x: Option<pytriton::Ragged<'_, u8>>)),
            ),
            (
                parse_quote!(async fn f(x: ArrayView2<f32>, y: Array2<f32>)),
                parse_quote!(async fn f(x: ArrayView2<'_, f32>, y: Array2<f32>)),
            ),
            (
                parse_quote!(async fn f(x: Option<ndarray::ArrayViewD<u8>>)),
                parse_quote!(async fn f(x: Option<ndarray::ArrayViewD<'_, u8>>)),
            ),
            (
                parse_quote!(async fn f(&self, x: ArrayView1<'_, u8>, c: &Context)),
                parse_quote!(async fn f(&self, x: ArrayView1<'_, u8>, c: &Context)),
            ),
            (
                parse_quote!(fn f(x: ArrayView2<f32>)),
                parse_quote!(fn f(x: ArrayView2<f32>)),
            ),
        ];
        for (mut signature, expected) in table {
            spell_out(&mut signature);
            let text = |signature: &Signature| signature.to_token_stream().to_string();
            assert_eq!(text(&signature), text(&expected));
        }
    }
}
