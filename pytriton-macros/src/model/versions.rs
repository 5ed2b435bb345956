//! The option `version_policy`: the served versions of the model.

use proc_macro2::TokenStream;
use quote::quote;

use crate::enum_option::EnumOption;
use crate::value::Value;

/// Returns the policy as a runtime expression.
pub(super) fn to_policy(value: &Value) -> Option<TokenStream> {
    let word = EnumOption::read(&value.expression)?;
    let policy = word.to_variant();
    let arguments = word.arguments.into_iter().cloned();
    let arguments = arguments.map(|expression| Value { expression });
    Some(quote!(__private::VersionPolicy::#policy #((#arguments))*))
}
