//! `#[group_by_keys]`: batches only requests with the same inputs. This is always the case, so it
//! generates no step.

use super::{Decorator, Place, Stage};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "group_by_keys",
    places: &[Place::Function],
    belongs: "the function itself, above `#[batch]`",
    stage: Some(Stage::Requests),
    ..Decorator::NONE
};
