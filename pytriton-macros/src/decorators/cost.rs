//! `#[cost(tokens)]`: the input whose elements are the cost of a request.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Decoration, Decorator, Inputs, Place};
use crate::errors::Errors;

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "cost",
    places: &[Place::Function],
    belongs: "the function itself: `#[cost(tokens)]`",
    ..Decorator::NONE
};

/// The parsed decorator.
#[derive(Debug)]
pub(crate) struct Cost {
    pub(crate) decoration: Decoration,
    /// `None` if it is invalid.
    pub(crate) parameter: Option<Ident>,
}

impl Cost {
    pub(crate) fn read(decoration: &Decoration, errors: &mut Errors) -> Self {
        let before = errors.len();
        let inside = decoration.inside(errors).unwrap_or_default();
        let parameter = syn::parse2(inside.clone()).ok();
        if errors.len() == before && parameter.is_none() {
            match inside.is_empty() {
                true => decoration.report_empty("tokens", errors),
                false => errors.push(inside, "expected one parameter: write `#[cost(tokens)]`"),
            }
        }
        Self {
            decoration: decoration.clone(),
            parameter,
        }
    }

    /// Returns the name of the input. It is empty after an error.
    pub(crate) fn to_name(&self, inputs: &Inputs, errors: &mut Errors) -> TokenStream {
        let parameter = self.parameter.as_ref();
        let input = parameter.and_then(|parameter| inputs.find(parameter, errors));
        input.map_or_else(|| quote!(""), |input| input.name.clone())
    }
}
