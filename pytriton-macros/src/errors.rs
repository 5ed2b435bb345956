use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Every mistake that was found, each on the user's own tokens.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    /// For what is missing: there is no token to point at but the attribute.
    pub(crate) fn push_missing(&mut self, message: impl Display) {
        self.0.push(syn::Error::new(Span::call_site(), message));
    }

    pub(crate) fn push_error(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The mistakes as `compile_error!` calls.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }
}
