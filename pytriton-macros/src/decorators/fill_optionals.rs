//! `#[fill_optionals(x = …)]`: the value of an omitted input.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

use super::{Decoration, Decorator, Input, Inputs, Place, Stage};
use crate::entry::values;
use crate::errors::Errors;

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "fill_optionals",
    places: &[Place::Function],
    belongs: "the function itself, above `#[batch]`",
    stage: Some(Stage::Requests),
    steps,
    ..Decorator::NONE
};

fn steps(decoration: &Decoration, inputs: &Inputs, errors: &mut Errors) -> Vec<TokenStream> {
    let defaults = defaults(decoration, &mut Errors::default());
    let steps = defaults.into_iter().filter_map(|(parameter, value)| {
        let Input { name, element, .. } = inputs.find(&parameter, errors)?;
        let new = quote_spanned!(value.span()=> new(#name, #value));
        Some(quote!(__private::FillOptional::<#element, _>::#new))
    });
    steps.collect()
}

/// Returns the parameters and their values.
pub(crate) fn defaults(decoration: &Decoration, errors: &mut Errors) -> Vec<(Ident, Expr)> {
    let inside = decoration.inside(errors).unwrap_or_default();
    let expected = "expected a parameter and its value: write `scale = 1.0`";
    let defaults = values(inside, expected, expected, errors);
    if defaults.is_empty() && errors.is_empty() {
        decoration.report_empty("scale = 1.0", errors);
    }
    defaults
}
