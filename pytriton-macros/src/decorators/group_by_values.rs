//! `#[group_by_values(key, …)]`: one call per distinct value.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

use super::{Decoration, Decorator, Inputs, Place, Stage};
use crate::entry::{Entry, split};
use crate::errors::Errors;

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "group_by_values",
    places: &[Place::Function],
    belongs: "the function itself, below `#[batch]`",
    options: &["pad_fn"],
    stage: Some(Stage::Groups),
    steps,
};

fn steps(decoration: &Decoration, inputs: &Inputs, errors: &mut Errors) -> Vec<TokenStream> {
    let mut keys = Vec::new();
    let mut padder = None;
    for part in split(decoration.inside(errors).unwrap_or_default()) {
        let tokens: TokenStream = part.iter().cloned().collect();
        if let Ok(key) = syn::parse2::<Ident>(tokens.clone()) {
            keys.extend(inputs.find(&key, errors).map(|input| &input.name));
            continue;
        }
        let pad_fn = Entry::read(&part).filter(|entry| entry.name == "pad_fn");
        match pad_fn.and_then(|entry| syn::parse2::<Expr>(entry.value).ok()) {
            Some(value) => padder = Some(value),
            None => errors.push(
                tokens,
                "expected a parameter, or `pad_fn = ConstantPadder::new(0)`",
            ),
        }
    }
    if keys.is_empty() && errors.is_empty() {
        let message = "`#[group_by_values]` has no key: write the parameters to group by, `#[group_by_values(a)]`";
        errors.push(decoration, message);
    }
    let padder = padder.map(|padder| quote_spanned!(padder.span()=> .pad(const { &#padder })));
    vec![quote!(__private::GroupByValues::new(&[#(#keys),*]) #padder)]
}
