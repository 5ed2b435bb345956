//! `#[openai(completions)]`, `#[openai(chat)]`: also serves the model at an OpenAI route.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Decoration, Decorator, Place};
use crate::did_you_mean::closest;
use crate::enum_option::to_variant;
use crate::errors::Errors;

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "openai",
    places: &[Place::Function],
    belongs: "the function itself: `#[openai(completions)]`",
    ..Decorator::NONE
};

/// The routes.
const SURFACES: [&str; 2] = ["completions", "chat"];

/// The parsed decorator.
#[derive(Debug)]
pub(crate) struct OpenAi {
    pub(crate) decoration: Decoration,
    /// `None` if it is invalid.
    surface: Option<Ident>,
}

impl OpenAi {
    pub(crate) fn read(decoration: &Decoration, errors: &mut Errors) -> Self {
        Self {
            decoration: decoration.clone(),
            surface: surface(decoration, errors),
        }
    }

    /// Returns the route as a model option.
    pub(crate) fn to_surface(&self) -> Option<TokenStream> {
        let surface = self.surface.as_ref()?;
        Some(quote!(__private::Surface::#surface))
    }
}

/// Returns the runtime's name of the route in the parentheses.
fn surface(decoration: &Decoration, errors: &mut Errors) -> Option<Ident> {
    let inside = decoration.inside(errors).unwrap_or_default();
    let found = syn::parse2::<Ident>(inside.clone());
    let text = inside.to_string();
    if let Some(found) = found.ok().filter(|_| SURFACES.contains(&&*text)) {
        return Some(to_variant(&found));
    }
    let message = match closest(&text, &SURFACES) {
        Some(meant) => format!("expected a route; did you mean `#[openai({meant})]`?"),
        None => "expected a route: write `#[openai(completions)]` or `#[openai(chat)]`".to_owned(),
    };
    match inside.is_empty() {
        true => errors.push(decoration, message),
        false => errors.push(inside, message),
    }
    None
}
