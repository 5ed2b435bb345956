//! Decorators that `#[model]` did not remove, because they are alone or above it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Item, parse_quote_spanned};

use super::attributes::TAKEN;
use super::{Decoration, Decorator, Place};
use crate::errors::Errors;
use crate::path::CratePath;

pub(crate) fn misplaced(
    decorator: &Decorator,
    options: &TokenStream,
    item: TokenStream,
) -> TokenStream {
    if options.to_string() == TAKEN {
        return TokenStream::new();
    }
    let Decorator { name, belongs, .. } = decorator;
    let mut parsed = syn::parse2::<Item>(item.clone());
    let attributes = parsed.as_mut().ok().and_then(attributes);
    let model = attributes
        .as_deref()
        .and_then(|attributes| attributes.iter().position(is_model));
    let stripped = || Decoration::strip(item.clone(), &CratePath::default());
    let (item, message) = match (attributes, model) {
        // The compiler reports that there is no `#[model]` of this path.
        (Some(attributes), Some(model)) if above(&attributes[model]) => return stripped(),
        (Some(_), Some(_)) if !decorator.stands_on(Place::Function) => {
            (item, format!("`#[{name}]` belongs on {belongs}"))
        }
        (Some(attributes), Some(model)) => {
            // In the correct place it causes no second error, and the rest of the function is
            // checked.
            let moved = attribute(decorator, options, &attributes[model]);
            attributes.insert(model + 1, moved);
            let message = "must be below `#[pytriton::model]`: move it down";
            let item = parsed.map_or(item, ToTokens::into_token_stream);
            (item, format!("`#[{name}]` {message}"))
        }
        _ => {
            let message = match decorator.stands_on(Place::Method) {
                true => {
                    "must be in an `impl` block with `#[pytriton::model]`: write `#[pytriton::model(name = \"…\")]` above the block"
                }
                false => {
                    "must be below `#[pytriton::model]`: write `#[pytriton::model(name = \"…\")]` above it"
                }
            };
            (stripped(), format!("`#[{name}]` {message}"))
        }
    };
    let mut errors = Errors::default();
    errors.push_missing(message);
    let errors = errors.into_tokens();
    quote!(#item #errors)
}

fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    match item {
        Item::Fn(function) => Some(&mut function.attrs),
        Item::Impl(block) => Some(&mut block.attrs),
        _ => None,
    }
}

fn is_model(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == "model")
}

/// Returns whether an attribute is above the decorator.
fn above(attribute: &Attribute) -> bool {
    let place = |span: Span| (span.unwrap().line(), span.unwrap().column());
    place(attribute.pound_token.span) < place(Span::call_site())
}

/// Returns the decorator, moved below another attribute.
fn attribute(decorator: &Decorator, options: &TokenStream, other: &Attribute) -> Attribute {
    let span = Span::call_site().located_at(other.bracket_token.span.close());
    let name = Ident::new(decorator.name, span);
    match options.is_empty() {
        true => parse_quote_spanned!(span=> #[#name]),
        false => parse_quote_spanned!(span=> #[#name(#options)]),
    }
}
