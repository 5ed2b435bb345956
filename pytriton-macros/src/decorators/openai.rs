//! `#[openai(completions)]`, `#[openai(chat)]`, `#[openai(embeddings)]`: also serves the model at an
//! OpenAI route.

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
const SURFACES: [&str; 3] = ["completions", "chat", "embeddings"];

/// The routes whose requests are rows of batches. The others generate text.
const BATCHED: [&str; 1] = ["embeddings"];

/// The parsed decorator.
#[derive(Debug)]
pub(crate) struct OpenAi {
    pub(crate) decoration: Decoration,
    /// `None` if it is invalid.
    surface: Option<Ident>,
    /// Whether the function generates text, one request at a time.
    pub(crate) generates_text: bool,
}

impl OpenAi {
    pub(crate) fn read(decoration: &Decoration, errors: &mut Errors) -> Self {
        let inside = decoration.inside(errors).unwrap_or_default();
        let text = inside.to_string();
        let meant = closest(&text, &SURFACES);
        Self {
            decoration: decoration.clone(),
            surface: surface(decoration, inside, meant, errors),
            generates_text: !meant.is_some_and(|meant| BATCHED.contains(&meant)),
        }
    }

    /// Returns the route as a model option.
    pub(crate) fn to_surface(&self) -> Option<TokenStream> {
        let surface = self.surface.as_ref()?;
        Some(quote!(__private::Surface::#surface))
    }
}

/// Returns the runtime's name of the route in the parentheses.
fn surface(
    decoration: &Decoration,
    inside: TokenStream,
    meant: Option<&str>,
    errors: &mut Errors,
) -> Option<Ident> {
    let found = syn::parse2::<Ident>(inside.clone());
    if let Some(found) = found
        .ok()
        .filter(|found| meant.is_some_and(|meant| found == meant))
    {
        return Some(to_variant(&found));
    }
    let message = match meant {
        Some(meant) => format!("expected a route; did you mean `#[openai({meant})]`?"),
        None => "expected a route: write `#[openai(completions)]`, `#[openai(chat)]` or `#[openai(embeddings)]`".to_owned(),
    };
    match inside.is_empty() {
        true => errors.push(decoration, message),
        false => errors.push(inside, message),
    }
    None
}
