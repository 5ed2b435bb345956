//! `#[group_by_keys]`: requests of other inputs are called apart. A batch is never called otherwise, so that nothing is
//! left to do.

use super::{Decorator, Place, Stage};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "group_by_keys",
    places: &[Place::Function],
    belongs: "the function itself, above `#[batch]`",
    stage: Some(Stage::Requests),
    ..Decorator::NONE
};
