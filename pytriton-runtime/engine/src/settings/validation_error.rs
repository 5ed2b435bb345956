use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// A mistake in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    /// The file and line, or the environment variable.
    pub place: String,
    /// A description of the mistake.
    pub text: String,
}

/// All mistakes in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationErrors(pub Vec<ValidationError>);

impl ValidationError {
    pub(super) fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            text: text.into(),
        }
    }
}

impl Display for ValidationError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

impl Display for ValidationErrors {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let [only] = &*self.0 {
            return only.fmt(f);
        }
        write!(f, "{} mistakes in the configuration", self.0.len())?;
        self.0
            .iter()
            .try_for_each(|mistake| write!(f, "\n  {mistake}"))
    }
}

impl Error for ValidationErrors {}
