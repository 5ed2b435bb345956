use std::fmt;

/// The owner of a JSON member, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The request itself.
    Request,
    /// The input with this name.
    Input(String),
    /// The output with this name.
    Output(String),
    /// An unnamed item in a list of the request.
    Item(&'static str, usize),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request => Ok(()),
            Self::Input(name) => write!(f, " of input '{name}'"),
            Self::Output(name) => write!(f, " of output '{name}'"),
            Self::Item(list, index) => write!(f, " of '{list}[{index}]'"),
        }
    }
}
