use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, ItemFn, Signature, Visibility};

use super::lifetime::spell_out;
use super::state::State;
use crate::decorators::Decoration;
use crate::docs::{docs, strip_parameters};
use crate::path::CratePath;

/// The function that processes requests, with its decorators.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) signature: Signature,
    pub(super) decorations: Vec<Decoration>,
    /// For each parameter of the signature.
    pub(super) parameters: Vec<Vec<Decoration>>,
    /// The doc comment of the function or of the block.
    pub(super) docs: String,
    /// Lint attributes of the function, which also apply to its registration.
    pub(super) lints: TokenStream,
    /// The visibility.
    pub(super) visibility: Visibility,
    /// The decorators that identify its method and the state's functions.
    pub(super) roles: Vec<Decoration>,
    /// The state, for a method.
    pub(super) state: Option<State>,
}

impl Function {
    /// Takes the decorators of a function.
    pub(super) fn take(function: &mut ItemFn, root: &CratePath) -> Self {
        let found = Self {
            decorations: Decoration::take(&mut function.attrs, root),
            parameters: Decoration::take_parameters(&mut function.sig, root),
            signature: function.sig.clone(),
            docs: docs(&function.attrs),
            lints: lints(&function.attrs),
            visibility: function.vis.clone(),
            roles: Vec::new(),
            state: None,
        };
        strip_parameters(&mut function.sig);
        spell_out(&mut function.sig);
        found
    }
}

/// Returns the lint attributes for generated code. Other lints are not disabled, because a crate
/// may forbid that.
pub(super) fn lints(attributes: &[Attribute]) -> TokenStream {
    let mut lints = TokenStream::new();
    for attribute in attributes {
        let path = attribute.path();
        if path.is_ident("deprecated") {
            lints.extend(quote!(#[allow(deprecated)]));
        } else if (path.is_ident("allow") || path.is_ident("expect"))
            && let Ok(list) = attribute.meta.require_list()
        {
            let inside = &list.tokens;
            lints.extend(quote!(#[allow(#inside)]));
        }
    }
    lints
}

/// Returns whether the attribute may remove its item.
pub(super) fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}
