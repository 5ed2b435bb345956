//! `#[sequence]`: a parameter is the state of the request's sequence; on a function of an `impl`
//! block, the function creates that state.

use super::{Decorator, Place};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "sequence",
    places: &[Place::Parameter, Place::Method],
    belongs: "a parameter: `#[sequence] state: &mut State`",
    ..Decorator::NONE
};
