use std::fmt;

use super::StateType;

/// A shared state that a function of a model takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredState {
    /// The type of the state.
    pub ty: StateType,
    /// The name of the function's parameter; `None` for a parameter of `#[load]`.
    pub parameter: Option<&'static str>,
}

/// Formats the parameter, for messages.
impl fmt::Display for RequiredState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parameter {
            Some(parameter) => write!(f, "`{parameter}: &Arc<{}>`", self.ty),
            None => write!(f, "`Arc<{}>` in `#[load]`", self.ty),
        }
    }
}
