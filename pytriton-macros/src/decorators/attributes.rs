use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, FnArg, Meta, Path, Signature};

use super::table::DECORATORS;
use super::{Decoration, Decorator};
use crate::path::CratePath;

/// The option of a decorator whose only purpose is to use its import.
pub(super) const TAKEN: &str = "__taken";

impl Decoration {
    /// Removes the decorators from a list of attributes.
    pub(crate) fn take(attributes: &mut Vec<Attribute>, root: &CratePath) -> Vec<Self> {
        let mut taken = Vec::new();
        attributes.retain(|attribute| match named(attribute.path(), root) {
            Some(decorator) => {
                let attribute = attribute.clone();
                taken.push(Self {
                    decorator,
                    attribute,
                });
                false
            }
            None => true,
        });
        taken
    }

    /// Removes the decorators from each parameter of a function.
    pub(crate) fn take_parameters(signature: &mut Signature, root: &CratePath) -> Vec<Vec<Self>> {
        let parameters = signature.inputs.iter_mut();
        parameters
            .map(|parameter| match parameter {
                FnArg::Typed(parameter) => Self::take(&mut parameter.attrs, root),
                FnArg::Receiver(receiver) => Self::take(&mut receiver.attrs, root),
            })
            .collect()
    }

    /// Removes the decorators from an item that cannot be parsed.
    pub(crate) fn strip(tokens: TokenStream, root: &CratePath) -> TokenStream {
        Self::stripped(tokens.clone(), root).unwrap_or(tokens)
    }

    /// Same as [`strip`](Self::strip); `None` if there is nothing to remove. An unchanged group
    /// keeps its identity, so that the compiler does not report an error in it twice.
    fn stripped(tokens: TokenStream, root: &CratePath) -> Option<TokenStream> {
        let mut stripped: Vec<TokenTree> = Vec::new();
        let mut found = false;
        for token in tokens {
            let TokenTree::Group(group) = token else {
                stripped.push(token);
                continue;
            };
            let sign =
                matches!(stripped.last(), Some(TokenTree::Punct(sign)) if sign.as_char() == '#');
            let meta = syn::parse2::<Meta>(group.stream());
            if sign && meta.is_ok_and(|meta| named(meta.path(), root).is_some()) {
                stripped.pop();
                found = true;
                continue;
            }
            stripped.push(match Self::stripped(group.stream(), root) {
                None => group.into(),
                Some(inside) => {
                    found = true;
                    let mut inner = Group::new(group.delimiter(), inside);
                    inner.set_span(group.span());
                    inner.into()
                }
            });
        }
        found.then(|| stripped.into_iter().collect())
    }

    /// Items that use the imports of removed decorators.
    pub(crate) fn to_uses(decorations: &[Self]) -> TokenStream {
        let mut seen = Vec::new();
        let mut uses = TokenStream::new();
        for decoration in decorations {
            let path = decoration.attribute.path();
            if !seen.contains(&path) {
                seen.push(path);
                let taken = Ident::new(TAKEN, Span::mixed_site());
                uses.extend(quote!(#[#path(#taken)] const _: () = ();));
            }
        }
        uses
    }
}

/// Returns the decorator that an attribute names: `batch`, `pytriton::batch`.
fn named(path: &Path, root: &CratePath) -> Option<&'static Decorator> {
    let last = path.segments.last()?;
    if path.segments.len() > 1 && !root.is_prefix_of(path) {
        return None;
    }
    let name = last.ident.to_string();
    let mut decorators = DECORATORS.iter().copied();
    decorators.find(|decorator| decorator.name == name)
}

/// Returns whether an attribute is another `#[model]`, which would not see the removed decorators.
pub(crate) fn is_model(attribute: &Attribute, root: &CratePath) -> bool {
    let path = attribute.path();
    let last = path.segments.last();
    let named = last.is_some_and(|last| last.ident == "model");
    named && (path.segments.len() == 1 || root.is_prefix_of(path))
}
