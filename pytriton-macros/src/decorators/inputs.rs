use proc_macro2::{Ident, TokenStream};

use crate::did_you_mean::closest;
use crate::errors::Errors;
use crate::ident::plain_name;

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
