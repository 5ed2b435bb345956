//! The conversion of the errors in a return value.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use crate::array::ArrayType;
use crate::types::{argument_of, peeled, present};

/// Returns a `Result` of a value, whose errors are converted. An error of the program's own type
/// determines its kind.
pub(super) fn result_of(value: &TokenStream) -> TokenStream {
    quote!((&&&__private::ErrorsOf::new(&#value)).errors().result(#value))
}

/// Returns the value of a function; a call ends with its error.
pub(super) fn returned(value: &TokenStream) -> TokenStream {
    let result = result_of(value);
    quote!(__call.returned(#result)?)
}

/// Returns the statements that convert the errors in a variable of this type: those of the call,
/// and those of the entries of a function that may be `raw`.
pub(super) fn conversions(variable: &TokenStream, ty: &Type, raw: bool) -> TokenStream {
    let converted = returned(variable);
    let call = may_fail(ty).then(|| quote!(let #variable = #converted;));
    let entries = raw && argument_of("Vec", ty).is_none();
    let each = entries && call.is_some() && argument_of("Result", ty).is_none_or(may_fail);
    let each = each.then(|| quote!(let #variable = #converted;));
    quote!(#call #each)
}

/// Returns whether a value of this type may contain errors.
fn may_fail(ty: &Type) -> bool {
    let entry = argument_of("Vec", ty).unwrap_or(ty);
    let infallible = ArrayType::parse(present(entry)).is_some();
    !infallible && !matches!(peeled(entry), Type::Tuple(_))
}
