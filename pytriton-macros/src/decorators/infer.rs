//! `#[infer]`: the method that processes requests.

use super::{Decorator, Place};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "infer",
    places: &[Place::Method],
    belongs: "a method of an `impl` block under `#[pytriton::model]`",
    ..Decorator::NONE
};
