//! `#[fill_optionals(x = …)]`: what an input is where a request leaves it out.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

use super::{Decoration, Decorator, Input, Inputs, Place, Stage};
use crate::entry::{Entry, split};
use crate::errors::Errors;
use crate::path::CratePath;

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "fill_optionals",
    places: &[Place::Function],
    belongs: "the function itself, above `#[batch]`",
    stage: Some(Stage::Requests),
    steps,
    ..Decorator::NONE
};

fn steps(
    decoration: &Decoration,
    inputs: &Inputs,
    root: &CratePath,
    errors: &mut Errors,
) -> Vec<TokenStream> {
    let defaults = defaults(decoration, &mut Errors::default());
    let steps = defaults.into_iter().filter_map(|(parameter, value)| {
        let Input { name, element, .. } = inputs.find(&parameter, errors)?;
        let new = quote_spanned!(value.span()=> new(#name, #value));
        Some(quote!(#root::FillOptional::<#element, _>::#new))
    });
    steps.collect()
}

/// The parameters and their values.
pub(crate) fn defaults(decoration: &Decoration, errors: &mut Errors) -> Vec<(Ident, Expr)> {
    let mut defaults: Vec<(Ident, Expr)> = Vec::new();
    for part in split(decoration.inside(errors).unwrap_or_default()) {
        let entry = Entry::read(&part);
        let value =
            entry.and_then(|Entry { key, value, .. }| Some((key, syn::parse2(value).ok()?)));
        match value {
            Some((key, _)) if defaults.iter().any(|(other, _)| *other == key) => {
                errors.push(&key, format!("`{key}` stands twice: remove one"));
            }
            Some(default) => defaults.push(default),
            None => errors.push(
                TokenStream::from_iter(part),
                "expected a parameter and its value: write `scale = 1.0`",
            ),
        }
    }
    if defaults.is_empty() && errors.is_empty() {
        let message = "`#[fill_optionals]` says nothing: write `#[fill_optionals(scale = 1.0)]`, or remove it";
        errors.push(decoration, message);
    }
    defaults
}
