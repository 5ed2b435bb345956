//! The arguments of a decorator whose step is about some inputs: their parameters, and options.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

use super::{Decoration, Inputs};
use crate::entry::{Entry, split};
use crate::errors::Errors;

/// An option of a step, which is a method of its type.
#[derive(Debug)]
pub(crate) struct StepOption {
    pub(crate) name: &'static str,
    pub(crate) method: &'static str,
    /// Whether the method takes a reference to a constant.
    pub(crate) by_reference: bool,
    /// A value, for messages.
    pub(crate) example: &'static str,
}

/// Returns the step with the names of the inputs, and with the options that are given:
/// `#[decorator(parameter, …, option = value, …)]`.
pub(crate) fn step(
    step: &str,
    options: &[StepOption],
    decoration: &Decoration,
    inputs: &Inputs,
    errors: &mut Errors,
) -> TokenStream {
    let mut names = Vec::new();
    let mut values: Vec<(&StepOption, Expr)> = Vec::new();
    for part in split(decoration.inside(errors).unwrap_or_default()) {
        let tokens: TokenStream = part.iter().cloned().collect();
        if let Ok(parameter) = syn::parse2::<Ident>(tokens.clone()) {
            let input = inputs.find(&parameter, errors);
            names.extend(input.map(|input| &input.name));
            continue;
        }
        let entry = Entry::read(&part).and_then(|entry| {
            let option = options.iter().find(|option| option.name == entry.name)?;
            Some((option, syn::parse2::<Expr>(entry.value).ok()?))
        });
        match entry {
            Some((option, _)) if values.iter().any(|(other, _)| other.name == option.name) => {
                errors.twice(tokens, option.name);
            }
            Some(given) => values.push(given),
            None => {
                let examples = options.iter().map(|option| {
                    let StepOption { name, example, .. } = option;
                    format!(", or `{name} = {example}`")
                });
                let examples: String = examples.collect();
                errors.push(tokens, format!("expected a parameter{examples}"));
            }
        }
    }
    if names.is_empty() && errors.is_empty() {
        let name = decoration.name();
        let message = match inputs.0.first() {
            Some(input) => format!(
                "`#[{name}]` names no parameter: write `#[{name}({})]`",
                input.parameter
            ),
            None => format!("`#[{name}]` needs an input, and the function has none"),
        };
        errors.push(decoration, message);
    }
    let step = format_ident!("{step}");
    let values = values.iter().map(|(option, value)| {
        let method = format_ident!("{}", option.method);
        match option.by_reference {
            true => quote_spanned!(value.span()=> .#method(const { &#value })),
            false => quote_spanned!(value.span()=> .#method(#value)),
        }
    });
    quote!(__private::#step::new(&[#(#names),*]) #(#values)*)
}
