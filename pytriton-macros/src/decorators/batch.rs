//! `#[batch]`: one call for the whole batch.

use super::{Decorator, Place, Stage};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "batch",
    places: &[Place::Function],
    belongs: "the function itself",
    stage: Some(Stage::Batch),
    ..Decorator::NONE
};
