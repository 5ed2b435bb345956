//! `#[step(MyStep { … })]`: a custom step.

use quote::quote_spanned;
use syn::Expr;
use syn::spanned::Spanned;

use super::{Decorator, Place, Stage};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "step",
    places: &[Place::Function],
    belongs: "the function itself, below `#[batch]`",
    stage: Some(Stage::Groups),
    steps: |decoration, _, errors| {
        let inside = decoration.inside(errors).unwrap_or_default();
        let value = syn::parse2::<Expr>(inside);
        if value.is_err() {
            let message = "expected a value of a type that implements `pytriton::decorators::Step`: write `#[step(MyStep { … })]`";
            errors.push(decoration, message);
        }
        let step = value.map(|value| quote_spanned!(value.span()=> __private::step(&#value)));
        step.into_iter().collect()
    },
    ..Decorator::NONE
};
