//! The option `version_policy`: the served versions of the model.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

use crate::enum_option::EnumOption;
use crate::value::Value;

/// Returns whether it is one of Triton's policies.
pub(crate) fn is_policy(value: &Expr) -> bool {
    let known = |word: EnumOption<'_>| {
        word.is("all", 0..=0) || word.is("latest", 1..=1) || word.is("specific", 1..=1)
    };
    EnumOption::read(value).is_some_and(known)
}

/// Returns the policy as a runtime expression.
pub(super) fn to_policy(value: &Value) -> Option<TokenStream> {
    let word = EnumOption::read(&value.expression)?;
    let policy = word.to_variant();
    let arguments = word.arguments.into_iter().cloned();
    let arguments = arguments.map(|expression| Value { expression });
    Some(quote!(__private::VersionPolicy::#policy #((#arguments))*))
}
