//! `#[pad_batch]`: repeats the last row up to a preferred batch size, or the maximum.

use quote::quote;

use super::{Decorator, Place, Stage};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "pad_batch",
    places: &[Place::Function],
    belongs: "the function itself, below `#[batch]`",
    stage: Some(Stage::Padding),
    steps: |decoration, _, errors| {
        decoration.options(errors);
        vec![quote!(__private::PadBatch)]
    },
    ..Decorator::NONE
};
