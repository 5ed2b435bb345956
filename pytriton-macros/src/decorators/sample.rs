//! `#[sample]`: one call for each request, without a batch axis.

use super::{Decorator, Place, Stage};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "sample",
    places: &[Place::Function],
    belongs: "the function itself",
    stage: Some(Stage::Batch),
    ..Decorator::NONE
};
