//! `#[output]`: an output's name and dimensions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::{Decoration, Decorator, Place};
use crate::errors::Errors;
use crate::tensor::{Dims, TensorName, optional};
use crate::value::{Form, Value};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "output",
    places: &[Place::Function],
    belongs: "the function, or a field of a struct that derives `Outputs`",
    options: &["name", "shape", "labels"],
    ..Decorator::NONE
};

/// The options for an output.
#[derive(Debug)]
pub(crate) struct Override {
    pub(crate) decoration: Decoration,
    pub(crate) name: Option<TensorName>,
    pub(crate) shape: Option<Dims>,
    pub(crate) labels: Option<Value>,
}

impl Override {
    pub(crate) fn read(decoration: &Decoration, errors: &mut Errors) -> Self {
        let options = decoration.required_options("name = \"y\"", errors);
        Self {
            decoration: decoration.clone(),
            name: TensorName::take(&options, errors),
            shape: Dims::take(&options, errors),
            labels: Value::take(&options, "labels", Form::Text, errors),
        }
    }
}

impl ToTokens for Override {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let name = optional(self.name.as_ref());
        let shape = optional(self.shape.as_ref());
        let labels = Value::or(self.labels.as_ref(), "");
        tokens.extend(
            quote!(__private::OutputOverride { name: #name, shape: #shape, labels: #labels }),
        );
    }
}
