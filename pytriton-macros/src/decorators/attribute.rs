use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, FnArg, Meta, Path, Signature};

use super::{Decorator, Place};
use crate::DECORATORS;
use crate::errors::Errors;
use crate::options::Options;
use crate::path::CratePath;

/// The option of a decorator whose only purpose is to use its import.
pub(super) const TAKEN: &str = "__taken";

/// A decorator with its tokens.
#[derive(Debug, Clone)]
pub(crate) struct Decoration {
    pub(crate) decorator: &'static Decorator,
    pub(crate) attribute: Attribute,
}

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

    pub(crate) fn name(&self) -> &'static str {
        self.decorator.name
    }

    pub(crate) fn is(&self, decorator: &Decorator) -> bool {
        *self.decorator == *decorator
    }

    /// Returns whether it assigns a role to a method.
    pub(crate) fn is_role(&self) -> bool {
        self.decorator.stands_on(Place::Method)
    }

    /// Reports a misplaced decorator.
    pub(crate) fn misplaced(&self, errors: &mut Errors) {
        let Decorator { name, belongs, .. } = self.decorator;
        errors.push(self, format!("`#[{name}]` belongs on {belongs}"));
    }

    /// Reports a duplicate.
    pub(crate) fn twice(&self, errors: &mut Errors) {
        errors.twice(self, format_args!("#[{}]", self.name()));
    }

    /// Returns the options of a decorator that requires some, such as `example`.
    pub(crate) fn required_options(&self, example: &str, errors: &mut Errors) -> Options {
        let before = errors.len();
        let options = self.options(errors);
        if options.is_empty() && errors.len() == before {
            self.report_empty(example, errors);
        }
        options
    }

    pub(crate) fn report_empty(&self, example: &str, errors: &mut Errors) {
        let name = self.name();
        let message = format!("`#[{name}]` is empty: write `#[{name}({example})]`, or remove it");
        errors.push(self, message);
    }

    /// Returns the decorator's own options; may be empty.
    pub(crate) fn options(&self, errors: &mut Errors) -> Options {
        self.options_of(self.decorator.options, errors)
    }

    /// Same as [`options`](Self::options), with other known options.
    pub(crate) fn options_of(&self, known: &[&str], errors: &mut Errors) -> Options {
        let attribute = format!("#[{}]", self.name());
        match self.inside(errors) {
            Some(tokens) => Options::parse(&attribute, tokens, known, errors),
            None => Options::default(),
        }
    }

    /// Returns the tokens between the parentheses.
    pub(crate) fn inside(&self, errors: &mut Errors) -> Option<TokenStream> {
        match &self.attribute.meta {
            Meta::Path(_) => None,
            Meta::List(list) => Some(list.tokens.clone()),
            Meta::NameValue(_) => {
                let message = format!("expected `#[{}(…)]`", self.name());
                errors.push(&self.attribute.meta, message);
                None
            }
        }
    }
}

impl ToTokens for Decoration {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.attribute.to_tokens(tokens);
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

/// Returns the name of a parameter or field as text, without `r#`.
pub(crate) fn plain_name(ident: &Ident) -> String {
    ident.unraw().to_string()
}
