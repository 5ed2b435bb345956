use std::any::Any;

use super::Loss;

/// The state of a sequence, of any type.
pub(super) type State = Box<dyn Any>;

/// The record of a sequence on an instance.
#[derive(Debug)]
pub(super) enum SequenceEntry {
    State(State),
    /// The state no longer exists.
    Lost(Loss),
}

impl SequenceEntry {
    pub(super) fn state(self) -> Option<State> {
        match self {
            Self::State(state) => Some(state),
            Self::Lost(_) => None,
        }
    }
}
