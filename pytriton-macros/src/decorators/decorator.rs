use proc_macro2::{Ident, TokenStream};

use super::{Decoration, plain_name};
use crate::errors::Errors;
use crate::nearest::nearest;

/// What is known of a decorator.
#[derive(Debug)]
pub(crate) struct Decorator {
    pub(crate) name: &'static str,
    /// What it stands on.
    pub(crate) places: &'static [Place],
    /// Where it belongs, for the message on one that stands elsewhere.
    pub(crate) belongs: &'static str,
    /// The options that it has, where it has its own.
    pub(crate) options: &'static [&'static str],
    /// When it works, where it is a step.
    pub(crate) stage: Option<Stage>,
    /// The steps around the function that it becomes.
    pub(crate) steps: fn(&Decoration, &Inputs, &mut Errors) -> Vec<TokenStream>,
}

/// What a decorator stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Function,
    Parameter,
    /// A function of an `impl` block, of which it says what it is for.
    Method,
}

/// The stages of a batch on its way to the function. A decorator of one does not stand below one of a later stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The requests, each with its own inputs.
    Requests,
    /// They become one batch, or stay one each.
    Batch,
    /// The rows of the batch are grouped.
    Groups,
    /// Rows are added, which must not be grouped.
    Padding,
}

impl Decorator {
    /// What most decorators have in common.
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

/// The inputs of a function as its parameters name them.
#[derive(Debug, Default)]
pub(crate) struct Inputs(pub(crate) Vec<Input>);

/// An input as a parameter names it.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) parameter: String,
    /// The expression that is the input's name.
    pub(crate) name: TokenStream,
    /// The element type.
    pub(crate) element: TokenStream,
}

impl Inputs {
    /// The input that a decorator names by its parameter.
    pub(crate) fn find(&self, ident: &Ident, errors: &mut Errors) -> Option<&Input> {
        let text = plain_name(ident);
        let found = self.0.iter().find(|input| input.parameter == text);
        if found.is_some() {
            return found;
        }
        let known = self.0.iter().map(|input| input.parameter.as_str());
        let known: Vec<&str> = known.collect();
        let help = match nearest(&text, &known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => "the function has no inputs".to_owned(),
            None => format!("the parameters are `{}`", known.join("`, `")),
        };
        errors.push(ident, format!("there is no parameter `{text}`; {help}"));
        None
    }
}
