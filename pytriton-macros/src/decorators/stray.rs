//! A decorator that `#[model]` did not consume, because it stands alone or above.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, ImplItem, Item, parse_quote};

use super::{Decoration, Decorator, Place};
use crate::errors::Errors;
use crate::path::CratePath;

pub(crate) fn stray(
    decorator: &Decorator,
    options: &TokenStream,
    item: TokenStream,
) -> TokenStream {
    let name = decorator.name;
    let mut errors = Errors::default();
    let mut parsed = syn::parse2::<Item>(item.clone());
    let attributes = parsed.as_mut().ok().and_then(attributes);
    let model = attributes
        .as_deref()
        .and_then(|attributes| model_index(attributes));
    match (attributes, model) {
        (Some(_), Some(_)) if !decorator.stands_on(Place::Function) => {
            let place = decorator.belongs;
            errors.push_missing(format!("`#[{name}]` belongs on {place}"));
        }
        (Some(attributes), Some(model)) => {
            errors.push_missing(format!(
                "`#[{name}]` must stand below `#[pytriton::model]`: move it down"
            ));
            // In its right place it causes no second error, and the rest of the function is checked.
            attributes.insert(model + 1, attribute(decorator, options));
        }
        _ => {
            errors.push_missing(format!(
                "`#[{name}]` must stand below `#[pytriton::model]`: write `#[pytriton::model(name = \"…\")]` above it"
            ));
            if let Ok(item) = &mut parsed {
                strip(item);
            }
        }
    }
    let item = parsed.map_or(item, ToTokens::into_token_stream);
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

fn model_index(attributes: &[Attribute]) -> Option<usize> {
    attributes.iter().position(|attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| last.ident == "model")
    })
}

fn attribute(decorator: &Decorator, options: &TokenStream) -> Attribute {
    let name = format_ident!("{}", decorator.name);
    if options.is_empty() {
        parse_quote!(#[#name])
    } else {
        parse_quote!(#[#name(#options)])
    }
}

/// Takes the other decorators off, which lack the same `#[model]`.
fn strip(item: &mut Item) {
    let root = CratePath::default();
    match item {
        Item::Fn(function) => {
            Decoration::take(&mut function.attrs, &root);
            Decoration::take_parameters(&mut function.sig, &root);
        }
        Item::Impl(block) => {
            for item in &mut block.items {
                if let ImplItem::Fn(method) = item {
                    Decoration::take(&mut method.attrs, &root);
                    Decoration::take_parameters(&mut method.sig, &root);
                }
            }
        }
        _ => {}
    }
}
