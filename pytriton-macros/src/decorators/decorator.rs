use proc_macro2::{Ident, TokenStream};

use super::{Decoration, plain_name};
use crate::did_you_mean::closest;
use crate::errors::Errors;

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

/// The inputs of a function by parameter.
#[derive(Debug, Default)]
pub(crate) struct Inputs(pub(crate) Vec<Input>);

/// An input by parameter.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) parameter: String,
    /// The expression for the input's name.
    pub(crate) name: TokenStream,
    /// The element type.
    pub(crate) element: TokenStream,
}

impl Inputs {
    /// Returns the input whose parameter a decorator names.
    pub(crate) fn find(&self, ident: &Ident, errors: &mut Errors) -> Option<&Input> {
        let text = plain_name(ident);
        let found = self.0.iter().find(|input| input.parameter == text);
        if found.is_some() {
            return found;
        }
        let known = self.0.iter().map(|input| input.parameter.as_str());
        let known: Vec<&str> = known.collect();
        let help = match closest(&text, &known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => "the function has no inputs".to_owned(),
            None => format!("the parameters are `{}`", known.join("`, `")),
        };
        errors.push(ident, format!("there is no parameter `{text}`; {help}"));
        None
    }
}
