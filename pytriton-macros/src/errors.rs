use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Every mistake that was found, each on the user's own tokens.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    reported: Vec<syn::Error>,
    /// How many the compiler reports itself.
    left: usize,
}

impl Errors {
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.reported.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports tokens that must not be there, where they are.
    pub(crate) fn refuse(&mut self, tokens: impl ToTokens, message: impl Display) {
        let tokens = tokens.into_token_stream();
        if !tokens.is_empty() {
            self.push(tokens, message);
        }
    }

    /// Reports the second of what may stand once.
    pub(crate) fn twice(&mut self, second: impl ToTokens, what: impl Display) {
        self.push(second, format!("`{what}` stands twice: remove one"));
    }

    /// For what is missing: there is no token to point at but the attribute.
    pub(crate) fn push_missing(&mut self, message: impl Display) {
        self.reported
            .push(syn::Error::new(Span::call_site(), message));
    }

    pub(crate) fn push_error(&mut self, error: syn::Error) {
        self.reported.push(error);
    }

    /// Counts a mistake in the item itself, on which the compiler has an error of its own.
    pub(crate) fn leave(&mut self) {
        self.left += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.reported.len() + self.left
    }

    /// The mistakes as `compile_error!` calls.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.reported
            .iter()
            .map(syn::Error::to_compile_error)
            .collect()
    }
}
