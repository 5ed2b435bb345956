//! `#[load]`: the function that creates the state.

use super::{Decorator, Place};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "load",
    places: &[Place::Method],
    belongs: "a method of an `impl` block under `#[pytriton::model]`",
    ..Decorator::NONE
};
