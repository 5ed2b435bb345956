//! A helper that `#[model]` did not consume, because it stands alone or above.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, ImplItem, Item, parse_quote};

use crate::attribute::{Helper, HelperAttribute};
use crate::errors::Errors;
use crate::path::CratePath;

pub(crate) fn expand(helper: Helper, options: &TokenStream, item: TokenStream) -> TokenStream {
    let name = helper.name();
    let mut errors = Errors::default();
    let mut parsed = syn::parse2::<Item>(item.clone());
    let attributes = parsed.as_mut().ok().and_then(attributes);
    let model = attributes
        .as_deref()
        .and_then(|attributes| model_index(attributes));
    match (attributes, model) {
        (Some(_), Some(_)) if !helper.on_function() => {
            let place = helper.place();
            errors.push_missing(format!("`#[{name}]` belongs on {place}"));
        }
        (Some(attributes), Some(model)) => {
            errors.push_missing(format!(
                "`#[{name}]` must stand below `#[pytriton::model]`: move it down"
            ));
            // In its right place it causes no second error, and the rest of the function is checked.
            attributes.insert(model + 1, helper_attribute(helper, options));
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

fn helper_attribute(helper: Helper, options: &TokenStream) -> Attribute {
    let name = format_ident!("{}", helper.name());
    if options.is_empty() {
        parse_quote!(#[#name])
    } else {
        parse_quote!(#[#name(#options)])
    }
}

/// Takes the other helpers off, which lack the same `#[model]`.
fn strip(item: &mut Item) {
    let root = CratePath::default();
    match item {
        Item::Fn(function) => {
            HelperAttribute::take(&mut function.attrs, &root);
            HelperAttribute::take_parameters(&mut function.sig, &root);
        }
        Item::Impl(block) => {
            for item in &mut block.items {
                if let ImplItem::Fn(method) = item {
                    HelperAttribute::take(&mut method.attrs, &root);
                    HelperAttribute::take_parameters(&mut method.sig, &root);
                }
            }
        }
        _ => {}
    }
}
