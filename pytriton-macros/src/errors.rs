use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// All errors that were found, each on the user's tokens.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    reported: Vec<syn::Error>,
    /// The number of errors that the compiler reports itself.
    left: usize,
}

impl Errors {
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.reported.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports tokens that are not allowed.
    pub(crate) fn refuse(&mut self, tokens: impl ToTokens, message: impl Display) {
        let tokens = tokens.into_token_stream();
        if !tokens.is_empty() {
            self.push(tokens, message);
        }
    }

    /// Reports a duplicate.
    pub(crate) fn twice(&mut self, second: impl ToTokens, what: impl Display) {
        self.push(second, format!("`{what}` is given twice: remove one"));
    }

    /// Reports something missing, for which the only token is the attribute.
    pub(crate) fn push_missing(&mut self, message: impl Display) {
        self.reported
            .push(syn::Error::new(Span::call_site(), message));
    }

    pub(crate) fn push_error(&mut self, error: syn::Error) {
        self.reported.push(error);
    }

    /// Counts an error in the item itself, which the compiler reports.
    pub(crate) fn leave(&mut self) {
        self.left += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.reported.len() + self.left
    }

    /// Returns the errors as `compile_error!` invocations.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.reported
            .iter()
            .map(syn::Error::to_compile_error)
            .collect()
    }
}
