use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Attribute, FnArg, Meta, Signature};

use crate::errors::Errors;
use crate::options::Options;
use crate::path::CratePath;

/// An attribute that `#[model]` consumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Helper {
    Batch,
    Sample,
    FirstValue,
    Input,
    Output,
    Load,
    Infer,
}

impl Helper {
    pub(crate) const ALL: [Self; 7] = [
        Self::Batch,
        Self::Sample,
        Self::FirstValue,
        Self::Input,
        Self::Output,
        Self::Load,
        Self::Infer,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Sample => "sample",
            Self::FirstValue => "first_value",
            Self::Input => "input",
            Self::Output => "output",
            Self::Load => "load",
            Self::Infer => "infer",
        }
    }

    /// Where the attribute belongs, for the message on one that stands elsewhere.
    pub(crate) const fn place(self) -> &'static str {
        match self {
            Self::Batch | Self::Sample => "the function itself",
            Self::FirstValue => "a parameter: `#[first_value] scale: f32`",
            Self::Input => "a parameter: `#[input(name = \"INPUT_1\")] x: ArrayView2<f32>`",
            Self::Output => "the function, or a field of a struct that derives `Outputs`",
            Self::Load | Self::Infer => "a method of an `impl` block under `#[pytriton::model]`",
        }
    }

    /// Whether the attribute can stand on the function of a model.
    pub(crate) const fn on_function(self) -> bool {
        matches!(
            self,
            Self::Batch | Self::Sample | Self::Input | Self::Output
        )
    }

    /// The helper that an attribute names: `batch`, `pytriton::batch`.
    fn named(attribute: &Attribute, root: &CratePath) -> Option<Self> {
        let path = attribute.path();
        let last = path.segments.last()?;
        if path.segments.len() > 1 && !root.is_prefix_of(path) {
            return None;
        }
        Self::ALL
            .into_iter()
            .find(|helper| last.ident == helper.name())
    }
}

/// A helper with the tokens that it stands in.
#[derive(Debug, Clone)]
pub(crate) struct HelperAttribute {
    pub(crate) helper: Helper,
    pub(crate) attribute: Attribute,
}

impl HelperAttribute {
    /// Takes the helpers off a list of attributes.
    pub(crate) fn take(attributes: &mut Vec<Attribute>, root: &CratePath) -> Vec<Self> {
        let mut taken = Vec::new();
        attributes.retain(|attribute| match Helper::named(attribute, root) {
            Some(helper) => {
                let attribute = attribute.clone();
                taken.push(Self { helper, attribute });
                false
            }
            None => true,
        });
        taken
    }

    /// Takes off every further `#[model]`, which would miss the helpers.
    pub(crate) fn take_models(attributes: &mut Vec<Attribute>, root: &CratePath) -> Vec<Attribute> {
        let is_model = |attribute: &mut Attribute| {
            let path = attribute.path();
            let last = path
                .segments
                .last()
                .is_some_and(|last| last.ident == "model");
            last && (path.segments.len() == 1 || root.is_prefix_of(path))
        };
        attributes.extract_if(.., is_model).collect()
    }

    /// Takes the helpers off each parameter of a function.
    pub(crate) fn take_parameters(signature: &mut Signature, root: &CratePath) -> Vec<Vec<Self>> {
        let parameters = signature.inputs.iter_mut();
        parameters
            .map(|parameter| match parameter {
                FnArg::Typed(parameter) => Self::take(&mut parameter.attrs, root),
                FnArg::Receiver(receiver) => Self::take(&mut receiver.attrs, root),
            })
            .collect()
    }

    /// The options between the parentheses, of which there may be none.
    pub(crate) fn options(&self, known: &[&str], errors: &mut Errors) -> Options {
        let name = self.helper.name();
        match &self.attribute.meta {
            Meta::Path(_) => Options::default(),
            Meta::List(list) => {
                let attribute = format!("#[{name}]");
                Options::parse(&attribute, list.tokens.clone(), known, errors)
            }
            Meta::NameValue(_) => {
                let message = format!("expected `#[{name}(…)]`");
                errors.push(&self.attribute.meta, message);
                Options::default()
            }
        }
    }
}

impl ToTokens for HelperAttribute {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        self.attribute.to_tokens(tokens);
    }
}

/// The name of a parameter or field as text, without `r#`.
pub(crate) fn plain_name(ident: &Ident) -> (String, Span) {
    let name = ident.to_string();
    let plain = name.strip_prefix("r#").unwrap_or(&name);
    (plain.to_owned(), ident.span())
}
