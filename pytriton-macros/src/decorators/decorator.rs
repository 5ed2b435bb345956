use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Meta};

use super::Inputs;
use crate::errors::Errors;
use crate::options::Options;

/// The definition of a decorator.
#[derive(Debug)]
pub(crate) struct Decorator {
    pub(crate) name: &'static str,
    /// The items it can be applied to.
    pub(crate) places: &'static [Place],
    /// The correct place, for the message about a misplaced decorator.
    pub(crate) belongs: &'static str,
    /// The known options, if it has its own.
    pub(crate) options: &'static [&'static str],
    /// The stage of its step, if it is a step.
    pub(crate) stage: Option<Stage>,
    /// The steps that it generates.
    pub(crate) steps: fn(&Decoration, &Inputs, &mut Errors) -> Vec<TokenStream>,
}

/// The kinds of items that a decorator can be applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Function,
    Parameter,
    /// A function of an `impl` block, to which it assigns a role.
    Method,
}

/// The stages of a batch on its way to the function. A decorator must not be placed below one of a
/// later stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Individual requests with their inputs.
    Requests,
    /// Requests are stacked to a batch, or stay separate.
    Batch,
    /// The rows of a batch are grouped.
    Groups,
    /// Rows are added, which must not be grouped.
    Padding,
}

impl Decorator {
    /// The defaults of most decorators.
    pub(crate) const NONE: Self = Self {
        name: "",
        places: &[],
        belongs: "",
        options: &[],
        stage: None,
        steps: |decoration, _, errors| {
            decoration.options(errors);
            Vec::new()
        },
    };

    pub(crate) fn stands_on(&self, place: Place) -> bool {
        self.places.contains(&place)
    }
}

impl PartialEq for Decorator {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A decorator with its tokens.
#[derive(Debug, Clone)]
pub(crate) struct Decoration {
    pub(crate) decorator: &'static Decorator,
    pub(crate) attribute: Attribute,
}

impl Decoration {
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
